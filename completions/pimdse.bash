# Completion of pimdse for bash: `source completions/pimdse.bash`, or install it as pimdse in
# /usr/share/bash-completion/completions. Verbs and flags are read from the program itself, so they match its version.

# The verbs that `pimdse --help` lists.
_pimdse_verbs() { "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *[a-zA-Z].*/\1/p'; }

# The flags that `pimdse VERB --help` lists.
_pimdse_flags() { "$1" "$2" --help 2>/dev/null | grep -oE '(^|[[ ])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

# The first column of `pimdse list KIND` or `pimdse describe ARCH`.
_pimdse_column() { "$@" 2>/dev/null | awk 'NR > 1 && $1 != "" && /^[^ ]/ { print $1 }'; }

# The parameters of an architecture, as NAME=.
_pimdse_parameters() {
    "$1" describe "$2" --format json 2>/dev/null |
        awk '/"parameters"/ { on = 1 } /"metrics"/ { on = 0 } on && /"name":/ { gsub(/[",]/, ""); print $2 "=" }'
}

# The first word after the verb that is not a flag: the architecture, the space or the file.
_pimdse_operand() {
    local word
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
        case $word in -*) ;; *) echo "$word"; return ;; esac
    done
}

_pimdse_values() { # the values of the preceding flag, or nothing
    case $2 in
        --fidelity) echo analytic hybrid cycle ;;
        --format) echo text json csv ;;
        --keep) echo all front ;;
        --progress) echo auto bar plain none ;;
        --strategy) _pimdse_column "$1" list strategies ;;
        --model) _pimdse_column "$1" list models ;;
        --dram) _pimdse_column "$1" list dram ;;
        --set) _pimdse_parameters "$1" "$(_pimdse_operand)" ;;
        --assume) echo view= constants= node= precision= host= attained_share= layer_overhead= ;;
    esac
}

_pimdse() {
    local program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local choices=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        choices="$(_pimdse_verbs "$program") --help --version"
    elif choices=$(_pimdse_values "$program" "$before") && [ -n "$choices" ]; then
        case $before in --set | --assume) compopt -o nospace 2>/dev/null ;; esac
    elif [[ $word == -* ]]; then
        choices=$(_pimdse_flags "$program" "$verb")
    else
        case $verb in
            evaluate | describe | validate | layout)
                mapfile -t COMPREPLY < <(compgen -W "$(_pimdse_column "$program" list architectures)" -- "$word"
                    [ "$verb" = validate ] || compgen -f -X '!*.toml' -- "$word"; compgen -d -- "$word") ;;
            list) choices="machines models families dram spaces strategies" ;;
            dram) [ "$COMP_CWORD" -eq 2 ] && choices="replay check gemv import" ;;
            noc) [ "$COMP_CWORD" -eq 2 ] && choices="replay check run" ;;
            links) [ "$COMP_CWORD" -eq 2 ] && choices="show check" ;;
            quick | explore | serve | flips) compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$word"; compgen -d -- "$word") ;;
            condition) compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -X '!*.h5' -- "$word"; compgen -f -X '!*.toml' -- "$word"; compgen -d -- "$word") ;;
            *) compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -X '!*.h5' -- "$word"; compgen -d -- "$word") ;;
        esac
    fi
    [ -z "$choices" ] || mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}
complete -o default -F _pimdse pimdse
