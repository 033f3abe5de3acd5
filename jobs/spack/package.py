# A recipe for Spack (https://spack.readthedocs.io), written according to its packaging guide. It has not been run yet,
# because Spack was not available, and packages may have other names in your version of Spack's repository. To use it:
#   spack repo create my-repo                        # once; prints the folder of its packages
#   mkdir -p REPO/packages/pimdse && cp jobs/spack/package.py REPO/packages/pimdse/
#   spack repo add REPO
#   spack dev-build pimdse@0.2.0                     # in a clone of pimdse
from spack.package import *

try:  # newer versions of Spack keep the base classes in the repository of the packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass


class Pimdse(CMakePackage):
    """Design-space explorer for memory-centric accelerators of large language models."""

    license("Apache-2.0")

    version("0.2.0")

    variant("analysis", default=True, description="Packages for `import pimdse` and the plotting scripts")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5+hl~mpi")
    depends_on("boost+program_options")
    depends_on("tbb")
    depends_on("tomlplusplus")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("zlib-api")
    depends_on("libdeflate")
    depends_on("nlopt")
    depends_on("xxhash")
    depends_on("openssl")
    depends_on("googletest", type="test")
    depends_on("benchmark", type="test")
    depends_on("python@3.9:", type=("build", "run"))
    with when("+analysis"):
        depends_on("py-h5py", type="run")
        depends_on("py-numpy", type="run")
        depends_on("py-pandas", type="run")
        depends_on("py-matplotlib", type="run")

    # The sources are C++20 with <bit>, <span> and the stop tokens of std::jthread.
    conflicts("%gcc@:10")
    conflicts("%clang@:13")

    def cmake_args(self):
        return [
            self.define("PIMDSE_TESTS", self.run_tests),
            self.define("Python3_EXECUTABLE", self.spec["python"].command.path),
        ]

    def setup_run_environment(self, env):
        # The program finds its data relative to its own folder; only `import pimdse` needs a path.
        env.prepend_path("PYTHONPATH", join_path(self.prefix.share, "pimdse", "analysis"))
