# cmake -DSOURCE=... -DPROGRAM=... -DLICENCE=... -DOUTPUT=... -P make_page.cmake: page.html with its styles, the licence
# of what is bundled and the program.
cmake_minimum_required(VERSION 3.22)
file(READ ${SOURCE}/page.html page)
file(READ ${SOURCE}/page.css style)
file(READ ${LICENCE} licence)
file(READ ${PROGRAM} program)
string(REPLACE "&" "&amp;" licence "${licence}")
string(REPLACE "<" "&lt;" licence "${licence}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@LICENCE@" "${licence}" page "${page}")
string(REPLACE "@PROGRAM@" "${program}" page "${page}")
file(WRITE ${OUTPUT} "${page}")
