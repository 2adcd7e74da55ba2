package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// answers is a shell script that replaces git in the tests. It reports an open run, a closed run and a run of another system. Some tasks
// of the open run have names that must not be completed.
const answers = `
case "$*" in
"resume status --porcelain=v1 --all") printf '# porcelain v1\nrun\tmigrate-auth-a7f3\tx y\nrun\told-b2b2\t\nrun\tauto-claude:005-user\t\n' ;;
"resume status --porcelain=v1") printf '# porcelain v1\nrun\tmigrate-auth-a7f3\tx y\nrun\tauto-claude:005-user\t\n' ;;
"resume status --porcelain=v1 migrate-auth-a7f3") printf 'run\tmigrate-auth-a7f3\tx\ntask\tschema\tdone\ntask\t$(touch PWNED)\tdone\ntask\t-n\tdone\ntask\t"a\\tb"\tdone\ntask\tbackfill\tactive\nchoice\tcontinue\t\nchoice\tskip\t\n' ;;
"resume status --porcelain=v1 auto-claude:005-user") printf 'run\tauto-claude:005-user\tx\nchoice\trecover\tput it right\n' ;;
"resume status --porcelain=v1 old-b2b2") printf 'run\told-b2b2\tx\ntask\tlegacy\tdone\n' ;;
*) echo "unexpected: git $*" >&2; exit 129 ;;
esac
`

// gitCompletion is a bash script that replaces git's own completion script: it defines the functions that our script calls. Its arguments
// are our script and the words of the command line.
const gitCompletion = `
__git () { git "$@"; }
__gitcomp () { __gitcomp_nl "$(printf '%s\n' $1)" "" "${3-$cur}"; }
__gitcomp_nl () {
	local line word="${3-$cur}"
	while IFS= read -r line; do
		[[ -z $line || $line != "$word"* ]] || COMPREPLY+=("$line")
	done <<<"$1"
}
source "$1" || exit 1
shift
words=("$@") cword=$(($# - 1)) cur="${!#}" __git_cmd_idx=1 COMPREPLY=()
_git_resume
printf '%s\n' "${COMPREPLY[@]}"
`

func TestBashCompletion(t *testing.T) {
	tests := []struct{ line, want string }{
		{"git resume pa", "pause parked"},
		{"git resume st", "start status"},
		{"git resume task ", "add start done fail block skip reset run"},
		{"git resume task done ", "schema backfill"},
		{"git resume task done schema ", "schema backfill"},
		{"git resume task done b", "backfill"},
		{"git resume task done --run old-b2b2 ", "legacy"},
		{"git resume task done --run=old-b2b2 ", "legacy"},
		{"git resume task --run ", "migrate-auth-a7f3 auto-claude:005-user"},
		{"git resume task --run=mig", "migrate-auth-a7f3"},
		{"git resume task fail --c", "--cause="},
		{"git resume task done --c", ""},
		{"git resume task block --a", "--add --ask="},
		{"git resume task fail --ex", "--exit-code="},
		{"git resume status ", "migrate-auth-a7f3 old-b2b2 auto-claude:005-user"},
		{"git resume status auto-claude:0", "005-user"},
		{"git resume status old-b2b2 ", "legacy"},
		{"git resume status old-b2b2 legacy ", ""},
		{"git resume status --p", "--prompt --porcelain --porcelain=v1"},
		{"git resume status --all ", "migrate-auth-a7f3 old-b2b2 auto-claude:005-user"},
		{"git resume log o", "old-b2b2"},
		{"git resume pause ", "migrate-auth-a7f3 auto-claude:005-user"},
		{"git resume finish o", ""},
		{"git resume answer ", "schema backfill"},
		{"git resume start --na", "--name="},
		{"git resume start --name ", ""},
		{"git resume checkpoint --c", "--commit"},
		{"git resume --keep-", "--keep-going"},
		{"git resume discard ", "migrate-auth-a7f3 auto-claude:005-user"},
		{"git resume log old-b2b2 ", "legacy"},
		{"git resume demo ", "rebase"},
		{"git resume mi", "migrate-auth-a7f3"},
		{"git resume auto-claude:", "005-user"},
		{"git resume --choose ", "continue recover skip"},
		{"git resume --choose=re", "recover"},
		{"git resume auto-claude:005-user --choose ", "recover"},
		{"git resume migrate-auth-a7f3 --ch", "--choose="},
		{"git resume migrate-auth-a7f3 --from ", "schema backfill"},
		{"git resume --mode ", "interactive auto preflight"},
		{"git resume conflicts --engine=b", "builtin"},
	}
	complete := bashCompleter(t)
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			got := complete(t, strings.Split(test.line, " "))
			if want := strings.Fields(test.want); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// bashCompleter returns a function that completes the last word of a command line in bash.
func bashCompleter(t *testing.T) func(*testing.T, []string) []string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	new(machine).script(t, filepath.Join(dir, "git"), answers)
	write(t, filepath.Join(dir, "complete.bash"), gitCompletion)
	script, err := filepath.Abs(filepath.Join(root, "completions/git-resume.bash"))
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, words []string) []string {
		t.Helper()
		cmd := exec.Command(bash, append([]string{filepath.Join(dir, "complete.bash"), script}, words...)...)
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		return strings.Fields(string(out))
	}
}

// unfinished makes a repository with an open run and a closed one.
func unfinished(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.MustResume("start", "--name", "old", "--task", "gone")
	r.MustResume("finish", "old")
	r.MustResume("start", "--name", "job", "--task", "schema", "--task", "data")
	return r
}

// TestCompletions_answerInEveryShell completes lines in bash, zsh and fish with our scripts. git-resume supplies the names of runs and
// tasks.
func TestCompletions_answerInEveryShell(t *testing.T) {
	r := unfinished(t)
	shells := map[string]func(*testing.T, *gittest.Repo, string) []string{"bash": inBash, "zsh": inZsh, "fish": inFish}
	tests := []struct {
		line string
		want []string
		not  []string
	}{
		{"git resume st", []string{"start", "status"}, []string{"stop"}},
		{"git resume jo", []string{"job-"}, nil},
		{"git resume task do", []string{"done"}, nil},
		{"git resume task done s", []string{"schema"}, nil},
		{"git resume status --po", []string{"--porcelain"}, nil},
		{"git resume status ", []string{"job-", "old-"}, nil},
		{"git resume pause ", []string{"job-"}, []string{"old-"}},
		{"git resume --ch", []string{"--choose"}, nil},
		{"git resume --choose ", []string{"restart", "review"}, nil},
		{"git resume job --choose re", []string{"restart", "review"}, nil},
		{"git resume --from ", []string{"schema", "data"}, nil},
		{"git resume --mode ", []string{"interactive", "preflight"}, nil},
		{"git resume hooks un", []string{"uninstall"}, nil},
		{"git resume agents un", []string{"uninstall"}, nil},
		{"git resume agents install --tasks q", []string{"qwen"}, nil},
		{"git resume start --base ma", []string{"main"}, nil},
		{"git resume log job sch", []string{"schema"}, nil},
		{"git resume task fail --ca", []string{"--cause"}, nil},
		{"git -C . resume hooks un", []string{"uninstall"}, nil},
	}
	for shell, complete := range shells {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("there is no %s", shell)
			}
			for _, test := range tests {
				got := complete(t, r, test.line)
				begins := func(want string) bool {
					return slices.ContainsFunc(got, func(word string) bool { return strings.HasPrefix(word, want) })
				}
				for _, want := range test.want {
					if !begins(want) {
						t.Errorf("%q is completed with %q; there is no %q", test.line, got, want)
					}
				}
				if slices.ContainsFunc(test.not, begins) {
					t.Errorf("%q is completed with %q; none of %q should be there", test.line, got, test.not)
				}
			}
		})
	}
}

// inBash completes a line in bash with git's own completion script, which calls the functions of our script.
func inBash(t *testing.T, r *gittest.Repo, line string) []string {
	t.Helper()
	const theirs = "/usr/share/bash-completion/completions/git"
	if !exists(theirs) {
		t.Skip("git's completion for bash is not here")
	}
	return answered(t, r, "bash", "-c", `source "$1"; source "$2"; shift 2
COMP_LINE="$1"; COMP_POINT=${#COMP_LINE}; IFS=" " read -ra COMP_WORDS <<<"$1"
[[ $1 != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__git_wrap__git_main; printf '%s\n' "${COMPREPLY[@]}"`, "bash", theirs, abs(t, "completions/git-resume.bash"), line)
}

// inZsh presses TAB in a separate zsh and returns what zsh would offer.
func inZsh(t *testing.T, r *gittest.Repo, line string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "offered")
	answered(t, r, "zsh", "-f", "-c", `zmodload zsh/zpty
zpty z "COMPLETIONS=${(q)1} OUT=${(q)2} DUMP=${(q)4} zsh -f -i"
zpty -w z 'PS1= PS2=; fpath=($COMPLETIONS $fpath); autoload -U compinit; compinit -u -C -d $DUMP
compadd() {
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >>$OUT; builtin compadd "$@"
}
offer() { zle complete-word; print done >>$OUT; exit }
zle -C complete-word complete-word _main_complete; zle -N offer; bindkey "^I" offer; print ready >>$OUT'
for i in {1..1000}; do [[ -s $2 ]] && break; sleep 0.02; done
zpty -w -n z "$3"$'\t'
for i in {1..1000}; do grep -q '^done' $2 && break; sleep 0.02; done
zpty -d z`, "zsh", abs(t, "completions"), out, line, filepath.Join(r.Root(), "zcompdump"))
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// inFish completes a line in fish after it has loaded our two completion files.
func inFish(t *testing.T, r *gittest.Repo, line string) []string {
	t.Helper()
	return answered(t, r, "fish", "--no-config", "-c", "source $argv[1]; source $argv[2]; complete -C $argv[3] | string replace -r '\t.*' ''; true",
		abs(t, "completions/git-resume.fish"), abs(t, "completions/git-resume-conf.fish"), line)
}

func answered(t *testing.T, r *gittest.Repo, program string, args ...string) []string {
	t.Helper()
	got, code := r.Try(program, args...)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s", program, code, got)
	}
	return strings.Fields(got)
}

func abs(t *testing.T, place string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, place))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func demand(t *testing.T, where, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("the %s lacks %q", where, part)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCompletions_parse(t *testing.T) {
	for shell, file := range map[string]string{
		"bash": "completions/git-resume.bash",
		"zsh":  "completions/_git-resume",
		"fish": "completions/git-resume.fish",
		"sh":   "install.sh",
		"dash": "install.sh",
	} {
		t.Run(shell, func(t *testing.T) {
			quiet(t, shell, "-n", filepath.Join(root, file))
		})
	}
}

func TestManual_rendersWithoutWarnings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "man/*.1"))
	if err != nil {
		t.Fatal(err)
	}
	pages := slices.DeleteFunc(files, func(file string) bool { // leave out pages that only refer to another page
		return strings.HasPrefix(read(t, strings.TrimPrefix(file, root+"/")), ".so ")
	})
	if len(pages) == 0 {
		t.Fatal("no pages were found")
	}
	t.Run("mandoc", func(t *testing.T) { quiet(t, "mandoc", append([]string{"-Tlint", "-Wwarning"}, pages...)...) })
	for _, page := range pages {
		t.Run("groff "+filepath.Base(page), func(t *testing.T) { quiet(t, "groff", "-ww", "-z", "-mandoc", "-Tutf8", page) })
	}
}

func TestManual_isFoundByGit(t *testing.T) {
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("there is no man")
	}
	r := gittest.New(t).WithBinary()
	pages := filepath.Join(r.Root(), "man")
	if err := os.CopyFS(filepath.Join(pages, "man1"), os.DirFS(filepath.Join(root, "man"))); err != nil {
		t.Fatal(err)
	}
	r = r.With("MANPATH="+pages, "MANPAGER=cat", "PAGER=cat", "MANWIDTH=80")
	for _, line := range []string{"resume", "resume status", "resume undo", "resume task done"} {
		out, _ := r.Try("git", append(strings.Fields(line), "-h")...)
		_, name, ok := strings.Cut(out, "'git help ")
		name, _, _ = strings.Cut(name, "'")
		page, code := r.Try("git", "help", name)
		if !ok || code != 0 || !strings.Contains(page, "git resume"+strings.TrimPrefix(line, "resume")) {
			t.Errorf("git %s -h leads to %q: exit code %d\n%.300s", line, name, code, page)
		}
	}
	if page, code := r.Try("git", "resume", "--help"); code != 0 || !strings.Contains(page, "continue interrupted work") {
		t.Errorf("git resume --help: exit code %d\n%.300s", code, page)
	}
	if page, code := r.Try("git", "help", "git-resume-undo"); code != 0 || !strings.Contains(page, "git resume undo") {
		t.Errorf("git help git-resume-undo: exit code %d\n%.300s", code, page)
	}
}

// quiet demands that a program succeeds and prints nothing. It skips the test if the program is missing.
func quiet(t *testing.T, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s", program)
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
}
