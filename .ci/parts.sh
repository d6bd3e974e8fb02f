# Sourced by run and thorough: each part of them is timed, and its minutes are printed when all has ended.
minutes=""
part() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@"
    minutes+=$(printf '%6.1f  %s' "$(echo "$((SECONDS - start)) 60" | awk '{ print $1 / $2 }')" "$name")$'\n'
}
print_minutes() {
    printf '== minutes by part\n%s%6.1f  in all\n' "$minutes" "$(echo "$SECONDS 60" | awk '{ print $1 / $2 }')"
}
