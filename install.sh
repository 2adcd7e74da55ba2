#!/bin/sh
#
# install.sh puts git-resume, its manual pages and its shell completions under
# one prefix. It takes them from the archive of a release, or builds the program
# from this checkout.
# What it put there is written down beside them, so that --uninstall can take
# away exactly that and nothing else.
#
# It never uses sudo, writes nothing into the checkout and edits no start-up
# file of any shell.

set -eu

# The oldest git that git-resume works with. This is the one place that says so;
# the oldest Go stands in go.mod.
min_git=2.31

# Where, under the prefix, the list of installed files and made folders is kept.
record=share/git-resume/installed

usage() {
	cat <<EOF
usage: install.sh [--from FILE|URL] [--prefix DIR] [--uninstall] [--dry-run] [-v]

Installs git-resume for 'git resume': from the archive of a release that is named
or lies beside this script, else built with Go from the checkout around it.

  --from FILE|URL  the archive; it must have a line in the SHA256SUMS beside it
  --sha256 HASH    the checksum of the archive, instead of that line
  --prefix DIR   install under DIR (DIR/bin, DIR/share); also PREFIX=DIR.
                 Without it: the first of /usr/local, ~/.local, ~/go, ~,
                 /opt/homebrew, /opt/local, /home/linuxbrew/.linuxbrew that can
                 be written and whose bin is on PATH; else ~/.local
  --uninstall    remove what this script installed, and the folders it made
  --dry-run, -n  say what would be done, and do nothing
  --verbose, -v  name every file that is installed or removed
  --help, -h     show this text

DESTDIR=DIR puts the files under DIR/prefix, for those who make packages.

Exit codes: 0 done, 1 failed, 2 usage,
            3 installed in ~/.local, whose bin is not on PATH yet;
              a prefix that you named may be anywhere.
EOF
}

tell() { [ -z "$verbose" ] || say "$1"; }
say() { printf '%s\n' "$1"; }
warn() { printf 'warning: %s\n' "$1" >&2; }

# die FAULT [HINT...] stops; the hints say which command helps.
die() {
	printf 'error: %s\n' "$1" >&2
	shift
	for hint; do
		printf 'hint: %s\n' "$hint" >&2
	done
	exit 1
}

misuse() {
	printf "error: %s\nhint: see 'install.sh --help'\n" "$1" >&2
	exit 2
}

# ---- what was asked for ----

action=install
dry=
verbose=
from=
sha256=
title=
prefix=${PREFIX-}
stage=${DESTDIR-}
home=${HOME-}
home=${home%/}

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--prefix)
			[ $# -gt 1 ] || misuse "--prefix needs a folder"
			shift
			set_prefix "$1"
			;;
		--prefix=*) set_prefix "${1#--prefix=}" ;;
		--from | --sha256)
			[ $# -gt 1 ] && [ -n "$2" ] || misuse "$1 needs a value"
			if [ "$1" = --from ]; then from=$2; else sha256=$2; fi
			shift
			;;
		--from=?*) from=${1#--from=} ;;
		--sha256=?*) sha256=${1#--sha256=} ;;
		-v | --verbose) verbose=yes ;;
		--uninstall) action=uninstall ;;
		-n | --dry-run) dry=yes ;;
		-h | --help)
			usage
			exit 0
			;;
		-*) misuse "unknown option '$1'" ;;
		*) misuse "unexpected argument '$1'" ;;
		esac
		shift
	done
}

set_prefix() {
	[ -n "$1" ] || misuse "--prefix needs a folder"
	prefix=$1
}

# absolute DIR prints DIR as an absolute name without a slash at its end.
# "~/x" is meant as the shell would have read it in another place on the line.
absolute() {
	# shellcheck disable=SC2088
	case $1 in
	/*) dir=$1 ;;
	'~') dir=$home ;;
	'~/'*) dir=$home/${1#??} ;;
	*) dir=$(pwd)/$1 ;;
	esac
	while [ "$dir" != "${dir%/}" ]; do
		dir=${dir%/}
	done
	printf '%s\n' "${dir:-/}"
}

find_script() {
	src=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) ||
		die "cannot enter the folder of '$0'"
}

# find_source decides what is installed, and leaves its folder in $src: a named
# archive, the unpacked archive around this script, an archive beside it, or the
# checkout around it. $built is the program, if there is one already.
find_source() {
	built=
	if [ -z "$from" ] && [ ! -f "$src/go.mod" ]; then
		for program in git-resume git-resume.exe; do
			[ ! -f "$src/$program" ] || built=$src/$program
		done
		[ -z "$built" ] || title=${src##*/}
	fi
	[ -n "$from" ] || [ -n "$built" ] || from=$(archive_beside) || exit 1
	[ -z "$from" ] || take_archive
	[ -n "$built" ] || [ -f "$src/go.mod" ] ||
		die "there is neither an archive of a release nor a checkout beside install.sh in '$src'" \
			"name an archive: sh install.sh --from FILE"
}

# archive_beside prints the archive for this machine that lies beside this script.
archive_beside() {
	for file in "$src"/git-resume-[0-9]*.tar.gz; do
		[ -f "$file" ] || return 0
		break
	done
	count=0
	for file in "$src"/git-resume-[0-9]*-"$(platform)".tar.gz; do
		[ -f "$file" ] || continue
		count=$((count + 1))
		found=$file
	done
	[ "$count" -le 1 ] ||
		die "there are $count archives for this machine in '$src'" "name one of them: sh install.sh --from '$found'"
	[ "$count" = 0 ] || say "$found"
}

# platform names this machine as the archives do.
platform() {
	system=$(uname -s)
	processor=$(uname -m)
	case $system in
	Linux) system=linux ;;
	Darwin) system=darwin ;;
	esac
	case $processor in
	x86_64 | amd64) processor=amd64 ;;
	aarch64 | arm64) processor=arm64 ;;
	armv7* | armv8l) processor=armv7 ;;
	esac
	say "$system-$processor"
}

# ---- the archive of a release ----

make_work() {
	work=$(mktemp -d "${TMPDIR:-/tmp}/git-resume.XXXXXX") ||
		die "cannot make a temporary folder in '${TMPDIR:-/tmp}'" \
			"name another one: TMPDIR=/path sh install.sh"
}

# take_archive checks the archive before anything in it is looked at, and unpacks it.
take_archive() {
	make_work
	name=${from##*/}
	title=${name%.tar.gz}
	case $from in
	https://* | file://*) take_url ;;
	http://*)
		[ -n "$sha256" ] ||
			die "'$from' is not protected on its way, and so would be its SHA256SUMS" \
				"use https, or name the checksum: --sha256 HASH"
		take_url
		;;
	*)
		archive=$from
		sums=$(dirname "$from")/SHA256SUMS
		;;
	esac
	[ -f "$archive" ] || die "there is no archive '$from'"
	check_sum
	mkdir "$work/unpacked" && tar -tzf "$archive" >"$work/list" && ! outside &&
		tar -xzf "$archive" -C "$work/unpacked" ||
		die "'$name' cannot be unpacked"
	for dir in "$work"/unpacked/git-resume-*; do
		if [ -f "$dir/git-resume" ] && [ ! -h "$dir" ] && [ ! -h "$dir/git-resume" ]; then
			src=$dir
			built=$dir/git-resume
		fi
	done
	[ -n "$built" ] || die "'$name' holds no git-resume"
}

# outside finds names that would be unpacked elsewhere.
outside() { awk '/^\// || /(^|\/)\.\.(\/|$)/ { bad = 1 } END { exit !bad }' "$work/list"; }

take_url() {
	archive=$work/$name
	fetch "$from" "$archive"
	sums=$work/SHA256SUMS
	[ -n "$sha256" ] || fetch "${from%/*}/SHA256SUMS" "$sums"
}

# fetch URL FILE shows its progress at a terminal.
fetch() {
	if command -v curl >/dev/null 2>&1; then
		shown=-sS
		[ ! -t 2 ] || shown=--progress-bar
		curl -fL "$shown" -o "$2" "$1" || die "cannot fetch '$1'"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1" || die "cannot fetch '$1'"
	else
		die "there is neither curl nor wget to fetch '$1'" "fetch it yourself, then: sh install.sh --from FILE"
	fi
}

check_sum() {
	want=$sha256
	if [ -z "$want" ]; then
		[ -f "$sums" ] || die "there is no SHA256SUMS beside '$from', so nobody knows whether it is whole" \
			"fetch it from the same release, or name the checksum: --sha256 HASH"
		want=$(while read -r sum file; do
			[ "${file#"*"}" != "$name" ] || say "$sum"
		done <"$sums")
		[ -n "$want" ] || die "SHA256SUMS has no line for '$name'" "use the name of the release, or name the checksum: --sha256 HASH"
	fi
	have=$(sum_of "$archive") || die "there is no sha256sum, shasum or openssl to check '$name' with"
	[ "$have" = "$want" ] ||
		die "'$name' has the checksum $have, but it must be $want; nothing was installed" "fetch it again"
}

sum_of() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum <"$1" | cut -d ' ' -f 1
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 <"$1" | cut -d ' ' -f 1
	elif command -v openssl >/dev/null 2>&1; then
		openssl dgst -sha256 <"$1" | sed 's/^.* //'
	else
		return 1
	fi
}

# ---- what it needs ----

# at_least HAVE WANT compares dotted numbers; a missing part counts as 0.
at_least() {
	printf '%s %s\n' "$1" "$2" | awk '{
		split($1, have, "."); split($2, want, ".")
		for (i = 1; i <= 3; i++) {
			if (have[i] + 0 > want[i] + 0) exit 0
			if (have[i] + 0 < want[i] + 0) exit 1
		}
	}'
}

need_git() {
	command -v git >/dev/null 2>&1 ||
		die "git is not on PATH: git-resume needs git $min_git or newer" \
			"install it, $(package_hint git), then run install.sh again"
	have_git=$(git version | sed -n 's/^git version \([0-9][0-9.]*\).*/\1/p')
	[ -n "$have_git" ] ||
		die "'git version' did not answer with a version: git-resume needs git $min_git or newer" \
			"see what '$(command -v git)' is"
	at_least "$have_git" "$min_git" ||
		die "git $have_git is too old: git-resume needs git $min_git or newer" \
			"update it, $(package_hint git), then run install.sh again"
}

need_go() {
	want_go=$(awk '$1 == "go" { print $2; exit }' "$src/go.mod")
	command -v go >/dev/null 2>&1 ||
		die "go is not on PATH: git-resume is built from source with Go $want_go or newer" \
			"$(go_hint)"
	# Asked inside the module, a Go that can fetch a newer one answers with that.
	answer=$(cd "$src" && go version 2>/dev/null) || answer=$(cd / && go version 2>/dev/null) || answer=
	have_go=$(printf '%s\n' "$answer" |
		sed -n 's/^go version \(devel \)\{0,1\}go\([0-9][0-9.]*\).*/\2/p')
	[ -n "$have_go" ] ||
		die "'go version' did not answer with a version: git-resume is built with Go $want_go or newer" \
			"see what '$(command -v go)' is"
	at_least "$have_go" "$want_go" ||
		die "Go $have_go is too old: git-resume is built from source with Go $want_go or newer" \
			"update it, $(package_hint go), or let it fetch a newer one: GOTOOLCHAIN=auto sh install.sh"
}

# package_hint NAME names the command that installs NAME on this machine.
package_hint() {
	for manager in brew apt-get dnf apk pacman; do
		command -v "$manager" >/dev/null 2>&1 || continue
		case $manager:$1 in
		apt-get:go | dnf:go) echo "with '$manager install golang'" ;;
		apk:*) echo "with 'apk add $1'" ;;
		pacman:*) echo "with 'pacman -S $1'" ;;
		*) echo "with '$manager install $1'" ;;
		esac
		return
	done
	echo "from its own site or with your package manager"
}

# go_hint looks where Go is often unpacked without being on PATH.
go_hint() {
	for dir in /usr/local/go/bin /usr/lib/go/bin /opt/homebrew/bin /usr/local/bin "$home/go/bin"; do
		if [ -x "$dir/go" ]; then
			echo "there is one in $dir: PATH=\"$dir:\$PATH\" sh install.sh"
			return
		fi
	done
	echo "install it, $(package_hint go), then run install.sh again"
}

need_home() {
	[ -n "${HOME-}" ] ||
		die "HOME is not set: $1" \
			"set it: HOME=/path/to/your/home sh install.sh"
}

# ---- where it goes ----

candidates() {
	say /usr/local
	if [ -n "$home" ]; then
		say "$home/.local"
		say "$home/go"
		say "$home"
	fi
	say /opt/homebrew
	say /opt/local
	say /home/linuxbrew/.linuxbrew
}

choose_prefix() {
	if [ -n "$stage" ]; then
		prefix=/usr/local
		return
	fi
	while IFS= read -r dir; do
		if on_path "$dir/bin" && [ -z "$(unwritable "$dir")" ]; then
			prefix=$dir
			return
		fi
	done <<EOF
$(candidates)
EOF
	need_home "there is no home folder to install to, and no other prefix can be used"
	prefix=$home/.local
	status=3
}

on_path() {
	case :$PATH: in
	*":$1:"* | *":$1/:"*) return 0 ;;
	esac
	return 1
}

# files lists what is installed: mode, source in the checkout, place under the
# prefix. "@" is the program that was just built.
files() {
	cat <<EOF
755 @ bin/git-resume${exe-}
$(pages)
644 completions/git-resume.bash share/bash-completion/completions/git-resume
644 completions/_git-resume share/zsh/site-functions/_git-resume
644 completions/git-resume.fish share/fish/vendor_completions.d/git-resume.fish
644 completions/git-resume-conf.fish share/fish/vendor_conf.d/git-resume.fish
644 install.sh share/git-resume/install.sh
EOF
}

# pages lists the manual: git-resume.1 and one page for each command.
pages() {
	for page in "$src"/man/*.1; do
		[ -f "$page" ] || continue
		page=${page##*/}
		say "644 man/$page share/man/man1/$page"
	done
}

# folders lists every folder under the prefix that files and the record need.
folders() {
	{
		files | cut -d ' ' -f 3
		say "$record"
	} | while IFS= read -r place; do
		while place=${place%/*} && say "$place"; do
			case $place in
			*/*) ;;
			*) break ;;
			esac
		done
	done | sort -u
}

# unwritable PREFIX prints the first folder under it that could not be written
# or made; nothing when all is well.
unwritable() {
	folders | while IFS= read -r place; do
		up=$1/$place
		while [ ! -e "$up" ]; do
			up=$(dirname "$up")
		done
		if [ ! -d "$up" ] || [ ! -w "$up" ]; then
			say "$up"
			break
		fi
	done
}

need_writable() {
	bad=$(unwritable "$root")
	[ -z "$bad" ] && return
	[ -d "$bad" ] ||
		die "cannot install under '$root': '$bad' is not a folder" \
			"choose another prefix: sh install.sh --prefix \"\$HOME/.local\""
	die "cannot install under '$root': '$bad' is not writable for you, and install.sh never uses sudo" \
		"choose a prefix of your own: sh install.sh --prefix \"\$HOME/.local\""
}

# ---- building ----

# find_version names the build. Only the checkout's own repository counts: an
# unpacked archive inside some other repository must not take that one's tag.
find_version() {
	version=devel
	[ -e "$src/.git" ] || return 0
	version=$(
		# A hook or an alias that calls us may have aimed git elsewhere.
		# shellcheck disable=SC2046
		unset $(git rev-parse --local-env-vars 2>/dev/null) || :
		GIT_OPTIONAL_LOCKS=0 git -C "$src" describe --tags --always --dirty 2>/dev/null
	) || version=devel
}

# in_module runs go in the checkout, for this machine unless a package is made.
in_module() (
	cd "$src"
	if [ -z "$stage" ]; then
		GOOS=$(go env GOHOSTOS)
		GOARCH=$(go env GOHOSTARCH)
		export GOOS GOARCH
	fi
	# A go.work above the checkout does not know it; a half-installed C
	# compiler must not matter.
	GOWORK=off CGO_ENABLED=0 go "$@"
)

# build leaves the program in $work. Each flag that matters is given here, since
# the command line wins over whatever GOFLAGS holds.
build() {
	[ -n "${GOCACHE-}" ] || need_home "Go keeps its build cache there"
	say "building git-resume $version with Go $have_go; the first time this can take a minute"
	make_work
	built=$work/git-resume
	mod=-mod=readonly
	[ ! -d "$src/vendor" ] || mod=-mod=vendor
	{ in_module build -v "$mod" -buildvcs=false -tags urfave_cli_no_docs -trimpath \
		-ldflags "-s -w -X main.version=$version" \
		-o "$built" ./cmd/git-resume 2>&1 || : >"$work/failed"; } | show_progress
	[ ! -e "$work/failed" ] ||
		die "go build stopped; its own words are above" \
			"if modules could not be fetched, look at the network and at 'go env GOPROXY'"
}

# show_progress counts the packages that go names, and passes on what else it says.
show_progress() {
	count=0
	while IFS= read -r line; do
		case $line in
		*[!A-Za-z0-9._/-]*) printf '%s\n' "$line" >&2 ;;
		*)
			count=$((count + 1))
			[ ! -t 2 ] || printf '\r%s packages compiled' "$count" >&2
			;;
		esac
	done
	[ ! -t 2 ] || [ "$count" = 0 ] || printf '\n' >&2
}

# ---- installing ----

work=
half=

clean_up() {
	[ -z "$work" ] || rm -rf "$work"
	[ -z "$half" ] || rm -f "$half"
}

# half_name FILE is where FILE is written before it gets its name: the same
# folder, so that the rename is one step. It does not vary, so that what a kill
# left behind is found by the next install and by --uninstall.
half_name() { printf '%s/.%s.new\n' "$(dirname "$1")" "$(basename "$1")"; }

# place MODE FROM TO puts one file in place in one step: a running git-resume
# keeps its old file, and nobody ever sees half of the new one.
place() {
	[ ! -d "$3" ] || die "'$3' is a folder, so the file cannot be put there" \
		"move it away: mv '$3' '$3.old'"
	half=$(half_name "$3")
	rm -f "$half"
	{ cp "$2" "$half" && chmod "$1" "$half"; } || die "cannot write '$half'"
	[ "$1" != 755 ] || try "$half"
	mv -f "$half" "$3" || die "cannot write '$3'"
	half=
}

# try runs the new program before it replaces a working one.
try() {
	[ -z "$stage" ] || return 0
	said=$("$1" version </dev/null 2>&1) && return
	fault="the new program does not run here, so nothing was replaced: $said"
	here=$(platform)
	case $title in
	git-resume-*-"$here") ;;
	git-resume-*-linux-* | git-resume-*-darwin-* | git-resume-*-windows-*)
		die "$fault" "'$title' is not for this machine, which is $here: $(archive_hint)"
		;;
	esac
	die "$fault" "if '$(dirname "$1")' is mounted noexec, choose another prefix with --prefix DIR"
}

# archive_hint says what to install on a machine that is called $here.
archive_hint() {
	case $here in
	linux-amd64 | linux-arm64 | linux-armv7 | darwin-amd64 | darwin-arm64)
		say "take the archive whose name ends with -$here.tar.gz"
		;;
	*) say "there is no archive for it; build git-resume from a checkout, which needs Go" ;;
	esac
}

install_all() {
	write_record
	[ -z "$title" ] || say "installing $title"
	while read -r mode from to; do
		case $from in
		@) from=$built ;;
		*) from=$src/$from ;;
		esac
		mkdir -p "$(dirname "$root/$to")" || die "cannot make the folder of '$root/$to'"
		note_foreign "$to"
		place "$mode" "$from" "$root/$to"
		tell "installed $root/$to"
	done <<EOF
$(files)
EOF
}

# write_record comes before the first file, so that an interrupted install
# can be taken away too. Lines of an earlier install stay: the folders that it
# made are still ours.
write_record() {
	old=$(cat "$root/$record" 2>/dev/null) || old=
	new=$(new_lines)
	mkdir -p "$(dirname "$root/$record")" ||
		die "cannot make the folder '$(dirname "$root/$record")'"
	half=$(half_name "$root/$record")
	printf '%s\n%s\n' "$old" "$new" | sed '/^$/d' | sort -u >"$half" || die "cannot write '$half'"
	mv -f "$half" "$root/$record" || die "cannot write '$root/$record'"
	half=
}

# new_lines prints "file PLACE" for each file, "dir PLACE" for each folder that
# is not there yet, and "above N" when the prefix and N-1 folders above it are
# missing too. All are relative: a staged tree may be moved.
new_lines() {
	files | sed 's/^[^ ]* [^ ]* /file /'
	folders | while IFS= read -r place; do
		[ -d "$root/$place" ] || say "dir $place"
	done
	above=0
	up=$root
	while [ ! -d "$up" ]; do
		above=$((above + 1))
		up=$(dirname "$up")
	done
	[ "$above" = 0 ] || say "above $above"
}

# note_foreign tells of a file that somebody else put at our place.
note_foreign() {
	[ -e "$root/$1" ] || return 0
	case "
$old
" in
	*"
file $1
"*) ;;
	*) warn "replaced '$root/$1', which this script had not installed" ;;
	esac
}

# check_call proves that 'git resume' now reaches the new program.
check_call() {
	[ -z "$stage" ] || return 0
	reach=$PATH
	on_path "$root/bin" || reach=$root/bin:$PATH
	want=$("$root/bin/git-resume$exe" version 2>&1) || want=
	got=$(cd / && PATH=$reach git resume version 2>&1) || got="nothing: $got"
	shadow=$(first_in "$(git --exec-path):$reach")
	# shellcheck disable=SC3013 # dash, ash, bash, ksh and zsh all know -ef
	if [ ! "$shadow" -ef "$root/bin/git-resume$exe" ]; then
		warn "'$shadow' comes first on PATH, so 'git resume' runs that one"
		printf 'hint: %s\n' "remove it, or put '$root/bin' before '$(dirname "$shadow")' in PATH" >&2
	elif [ "$got" != "$want" ]; then
		warn "'git resume version' says '$got' where '$root/bin/git-resume$exe version' says '$want'"
	else
		say "ready: $got"
	fi
}

# first_in PATH prints the git-resume that a search of PATH meets first.
first_in() (
	set -f
	IFS=:
	for dir in $1; do
		file=${dir:-.}/git-resume$exe
		if [ -f "$file" ] && [ -x "$file" ]; then
			printf '%s\n' "$file"
			return
		fi
	done
)

# export_line comes last, so that `eval "$(sh install.sh | tail -n 1)"` works.
export_line() {
	[ -z "$stage" ] || return 0
	on_path "$root/bin" && return
	say "'$root/bin' is not on PATH: run this line, and add it to the start-up file of your shell"
	quoted=$(printf '%s\n' "$root/bin" | sed 's/[\\"$`]/\\&/g')
	say "export PATH=\"$quoted:\$PATH\""
}

install() {
	need_git
	find_source
	exe=
	if [ -n "$built" ]; then
		case $built in *.exe) exe=.exe ;; esac
	else
		need_go
		find_version
		exe=$(in_module env GOEXE)
	fi
	[ -n "$prefix" ] || choose_prefix
	root=$stage${prefix%/}
	need_writable
	if [ -n "$dry" ]; then
		plan_install
		export_line
		return
	fi
	[ -n "$built" ] || build
	install_all
	say "installed $(files | sed -n '$=') files under $root; remove them with: sh '$root/share/git-resume/install.sh' --uninstall"
	check_call
	export_line
	exit "$status"
}

plan_install() {
	if [ -n "$built" ]; then
		say "would use $title"
	else
		say "would build git-resume $version from $src with Go $have_go"
	fi
	new_lines | sed -n 's/^dir //p' | while IFS= read -r place; do
		say "would make    $root/$place"
	done
	say "would write   $root/$record"
	files | while read -r mode from to; do
		say "would install $root/$to"
	done
}

# ---- uninstalling ----

uninstall() {
	found=
	while IFS= read -r dir; do
		root=$stage${dir%/}
		[ -f "$root/$record" ] || continue
		found=yes
		# One prefix that belongs to somebody else must not keep the others.
		(uninstall_one) || status=1
	done <<EOF
$(installed_prefixes | awk '!seen[$0]++')
EOF
	[ -n "$found" ] || nothing_found
	exit "$status"
}

# installed_prefixes lists where to look: the prefix that was named, or else all
# that install.sh chooses from, and the one that 'git resume' is found in.
installed_prefixes() {
	if [ -n "$prefix" ]; then
		say "$prefix"
		return
	fi
	# The copy of this script that was installed knows its own prefix.
	case $src in
	*/share/git-resume) say "${src%/share/git-resume}" ;;
	esac
	candidates
	if [ -z "$stage" ] && file=$(command -v git-resume); then
		bin=$(dirname "$file")
		dirname "$bin"
	fi
}

uninstall_one() {
	lines=$(cat "$root/$record") || die "cannot read '$root/$record'"
	case $lines in
	*..*) die "'$root/$record' names places outside of '$root'; nothing was removed" ;;
	esac
	bad=$(unwritable "$root")
	[ -z "$bad" ] ||
		die "cannot uninstall from '$root': '$bad' is not writable for you, and install.sh never uses sudo" \
			"run it as the user who installed it"
	recorded file | while IFS= read -r place; do
		remove "$root/$place"
	done || exit 1 # the loop is a process of its own
	if [ -n "$dry" ]; then
		recorded dir | sort -r | while IFS= read -r place; do
			say "would remove, if empty: $root/$place"
		done
		return
	fi
	remove_folders
	rm -f "$root/$record" "$(half_name "$root/$record")" || die "cannot remove '$root/$record'"
	remove_folders
	remove_above
	say "removed git-resume from $root"
}

# recorded WORD prints what the lines that begin with WORD hold.
recorded() { printf '%s\n' "$lines" | sed -n "s/^$1 //p"; }

# remove FILE also takes what a killed install left of it under its first name.
remove() {
	for file in "$1" "$(half_name "$1")"; do
		[ -e "$file" ] || [ -h "$file" ] || continue
		if [ -n "$dry" ]; then
			say "would remove $file"
			continue
		fi
		rm -f "$file" || die "cannot remove '$file'"
		tell "removed $file"
	done
}

# remove_folders takes the folders that we made, deepest first, as far as they
# are empty: others may have moved in since.
remove_folders() {
	recorded dir | sort -r | while IFS= read -r place; do
		rmdir "$root/$place" 2>/dev/null || :
	done
}

remove_above() {
	above=$(recorded above)
	up=$root
	while [ "${above:-0}" -gt 0 ] && rmdir "$up" 2>/dev/null; do
		above=$((above - 1))
		up=$(dirname "$up")
	done
}

nothing_found() {
	if [ -n "$prefix" ]; then
		say "nothing to remove: install.sh has installed nothing under '$stage$prefix'"
		return
	fi
	say "nothing to remove: no git-resume that install.sh installed was found"
	if other=$(command -v git-resume); then
		warn "'$other' is still on PATH; it was put there by something else"
	fi
}

# ---- the way through ----

main() {
	parse "$@"
	[ -z "$prefix" ] || prefix=$(absolute "$prefix")
	[ -z "$stage" ] || stage=$(absolute "$stage")
	stage=${stage%/}
	# Others must be able to read what is installed for all.
	umask 022
	status=0
	trap clean_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	find_script
	"$action"
}

main "$@"
