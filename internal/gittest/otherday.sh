#!/bin/sh
# Runs the tests as if on another day: sh internal/gittest/otherday.sh DAYS [arguments of go test]
#
# Go programs read the clock and the times of files without the C library, so no preloaded library can change them. Therefore this builds
# the tests, and with them every program that they build, with a standard library in which both are moved by the same number of days.
set -eu
cd "$(dirname "$0")/../.."
days=$1; shift
by=$((days * 86400))
root=$(go env GOROOT)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# moved FILE SED writes a changed copy of a file, and adds it to the list of replaced files.
list=
moved() {
	copy=$dir/$(basename "$1")
	sed "$2" "$1" >"$copy"
	if cmp -s "$1" "$copy" && [ "$by" -ne 0 ]; then
		echo "otherday.sh: times are read in another way than this script knows: look at $1" >&2
		exit 1
	fi
	list="$list${list:+,}\"$1\":\"$copy\""
}
moved "$root/src/time/time.go" "s/^	sec, nsec, mono := runtimeNow()\$/&; sec += $by/"
for reader in "$root/src/os/stat_linux.go" "$(pwd)/internal/sources/below_linux.go"; do
	moved "$reader" "s/time.Unix([a-z.]*Mtim.Unix())/&.Add($by * time.Second)/"
done
# This one is compared with the times in the index, which git has written.
moved "$(pwd)/gitstate/index/index.go" "s/written: info.ModTime()/&.Add(-$by * time.Second)/"
moved "$root/src/os/file_posix.go" "s/\(syscall.NsecToTimespec(t.UnixNano()\))/\1 - $by*1e9)/"
echo "{\"Replace\":{$list}}" >"$dir/overlay.json"

# Scripts of the tests ask date for times that are relative to now.
mkdir "$dir/bin"
cat >"$dir/bin/date" <<EOF
#!/bin/sh
at=now
before=
for arg; do
	case \$before in -d) at=\$arg ;; esac
	before=\$arg
done
case \$at in
now | *ago | yesterday* | [-+]* | *second* | *minute* | *hour* | *day*) exec $(command -v date) "\$@" -d "\$at $days days" ;;
*) exec $(command -v date) "\$@" ;;
esac
EOF
# What touch writes is read as moved, so a time that is given as such is moved back.
cat >"$dir/bin/touch" <<EOF
#!/bin/sh
before=
for arg; do
	shift
	case \$before\$arg in
	-d@*) arg=@\$((\${arg#@} - $by)) ;;
	-t????????????) arg=\$(echo "\$arg" | sed 's/\(....\)\(..\)\(..\)\(..\)\(..\)/\1-\2-\3 \4:\5 $days days ago/') ;;
	-d20??-*) arg="\$arg $days days ago" ;;
	esac
	before=\$arg
	[ "\$arg" != -t ] || arg=-d
	set -- "\$@" "\$arg"
done
exec $(command -v touch) "\$@"
EOF
chmod +x "$dir/bin/date" "$dir/bin/touch"

PATH=$dir/bin:$PATH GOFLAGS="$(go env GOFLAGS) -overlay=$dir/overlay.json" go test "$@"
