package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answers is a git that knows two runs, one of them closed, and a run of
// another tool.
const answers = `
case "$*" in
"resume status --porcelain=v1 --all") printf '# porcelain v1\nrun\tmigrate-auth-a7f3\tx y\nrun\told-b2b2\t\nrun\tauto-claude:005-user\t\n' ;;
"resume status --porcelain=v1") printf '# porcelain v1\nrun\tmigrate-auth-a7f3\tx y\n' ;;
"resume status --porcelain=v1 migrate-auth-a7f3") printf 'run\tmigrate-auth-a7f3\tx\ntask\tschema\tdone\ntask\tbackfill\tactive\n' ;;
"resume status --porcelain=v1 old-b2b2") printf 'run\told-b2b2\tx\ntask\tlegacy\tdone\n' ;;
*) echo "unexpected: git $*" >&2; exit 129 ;;
esac
`

// gitCompletion has the functions of git's own completion that ours counts on,
// as far as the test needs them. The words of the line are its arguments.
const gitCompletion = `
__git () { git "$@"; }
__gitcomp () { __gitcomp_nl "$(printf '%s\n' $1)"; }
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
		{"git resume pa", "pause"},
		{"git resume st", "start status"},
		{"git resume task ", "start done fail block skip reset run"},
		{"git resume task done ", "schema backfill"},
		{"git resume task done schema ", "schema backfill"},
		{"git resume task done b", "backfill"},
		{"git resume task done --run old-b2b2 ", "legacy"},
		{"git resume task done --run=old-b2b2 ", "legacy"},
		{"git resume task --run ", "migrate-auth-a7f3"},
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
		{"git resume pause ", "migrate-auth-a7f3"},
		{"git resume finish o", ""},
		{"git resume answer ", "schema backfill"},
		{"git resume start --na", "--name="},
		{"git resume start --name ", ""},
		{"git resume checkpoint --c", "--commit"},
		{"git resume --keep-", "--keep-going"},
		{"git resume discard ", "migrate-auth-a7f3"},
		{"git resume log old-b2b2 ", "legacy"},
		{"git resume demo ", ""},
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

// bashCompleter returns a function that completes the last of the words.
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
	pages := slices.DeleteFunc(files, func(file string) bool { // those that only lead to another
		return strings.HasPrefix(read(t, strings.TrimPrefix(file, root+"/")), ".so ")
	})
	if len(pages) < 7 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	t.Run("mandoc", func(t *testing.T) { quiet(t, "mandoc", append([]string{"-Tlint", "-Wwarning"}, pages...)...) })
	for _, page := range pages {
		t.Run("groff "+filepath.Base(page), func(t *testing.T) { quiet(t, "groff", "-ww", "-z", "-mandoc", "-Tutf8", page) })
	}
}

// quiet demands that a program succeeds and says nothing; it skips the test
// where the program is missing.
func quiet(t *testing.T, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s", program)
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
}
