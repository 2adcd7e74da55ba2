package packaging

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

var update = flag.Bool("update", false, "write what the commands of the README say today into it")

func TestMain(m *testing.M) { gittest.Main(m) }

// The set-up commands are run by .ci/run; they change the machine, so that no test does.
var setUp = []string{"./install.sh && git resume demo", "go test ./...", "sh install.sh --uninstall"}

func TestReadme_namesTheSetUpThatIsChecked(t *testing.T) {
	t.Parallel()
	ci := read(t, ".ci/run")
	for _, b := range blocks(read(t, "README.md")) {
		if b.kind == "sh" && !slices.Contains(setUp, strings.TrimSpace(b.text)) {
			t.Errorf("nobody checks this command of the README: %s", b.text)
		}
	}
	demand(t, "README", read(t, "README.md"), "continue interrupted work\n")
	demand(t, "check", ci, "go test ./...\n")
	demand(t, "check", ci, "install.sh --prefix")
	demand(t, "check", ci, "--uninstall")
}

// shown are the documents whose every command is run and compared.
var shown = []string{"README.md", "docs/tutorial.md"}

// Every command that a document shows says what the document says it does.
func TestDocuments_commandsSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the documents speak to a POSIX shell")
	}
	for _, name := range shown {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			compare(t, name)
		})
	}
}

func compare(t *testing.T, name string) {
	text := read(t, name)
	want := steps(text)
	got := perform(t, name, want)
	if *update {
		got = tame(got)
	}
	renewed, at := "", 0
	for i, s := range want {
		shown := "$ " + s.command + "\n" + s.said
		next := at + strings.Index(text[at:], shown)
		renewed += text[at:next]
		at = next + len(shown)
		if plain(got[i]) != plain(s.said) {
			shown = "$ " + s.command + "\n" + got[i]
			if !*update {
				t.Errorf("$ %s\nsays:\n%s\n%s shows:\n%s", s.command, got[i], name, s.said)
			}
		}
		renewed += shown
	}
	if *update {
		write(t, filepath.Join(root, name), renewed+text[at:])
	}
}

// tame gives the scratch repository a place that a reader can imagine, and the runs ids that do not change.
func tame(said []string) []string {
	all := strings.Join(said, "\x00")
	all = regexp.MustCompile(`(^|[^.])/[^\s"'\x00]*p(\.worktrees/[^\s"'\x00]+)`).ReplaceAllString(all, "$1/home/you/shop$2")
	all = regexp.MustCompile(`(^|[^.])/[^\s"'\x00]*/shop\b`).ReplaceAllString(all, "$1/home/you/shop")
	all = regexp.MustCompile(`(by \S+ \d+ on )\S+`).ReplaceAllString(all, "${1}laptop")
	ids := []string{"k2lq", "a7f3", "c42d", "e5bz", "s3vn"}
	for i, m := range regexp.MustCompile(`started \S+-([a-z2-7]{4}):`).FindAllStringSubmatch(all, -1) {
		all = regexp.MustCompile(`\b`+m[1]+`\b`).ReplaceAllString(all, ids[i%len(ids)])
	}
	return strings.Split(all, "\x00")
}

// block is one fenced part of a document.
type block struct{ kind, text string }

func blocks(text string) []block {
	var out []block
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		out = append(out, block{m[1], m[2]})
	}
	return out
}

// step is a command and what it says.
type step struct{ command, said string }

// steps are the commands of all console blocks, in order.
func steps(text string) []step {
	var out []step
	for _, b := range blocks(text) {
		if b.kind != "console" {
			continue
		}
		if said, ok := strings.CutPrefix(b.text, "$ git resume demo\n"); ok {
			out = append(out, step{"git resume demo", said}) // it shows commands of its own
			continue
		}
		for line := range strings.Lines(b.text) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, step{command: strings.TrimSuffix(command, "\n")})
			} else {
				out[len(out)-1].said += line
			}
		}
	}
	return out
}

// perform runs the steps in one shell, in a fresh repository, and gives what each said.
func perform(t *testing.T, name string, all []step) []string {
	t.Helper()
	r := gittest.New(t).WithBinary()
	for _, b := range blocks(read(t, name)) {
		if b.kind == "yaml" {
			r.Write("plan.yaml", b.text)
		}
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", "a plan")
	const mark = "== step of a document"
	script := "exec 2>&1\n"
	for _, s := range all {
		script += fmt.Sprintf("%s\necho '%s'\n", s.command, mark)
	}
	shop := filepath.Join(filepath.Dir(r.Dir), "shop")
	if err := os.Rename(r.Dir, shop); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "readme.sh")
	write(t, file, script)
	out, code := r.In(shop).Try("sh", file)
	said := strings.Split(out, mark+"\n")
	if code != 0 || len(said) != len(all)+1 {
		t.Fatalf("exit code %d after %d of %d commands:\n%s", code, len(said)-1, len(all), out)
	}
	return said[:len(all)]
}

// plain takes out what differs from one day and one machine to the next.
func plain(text string) string {
	for _, r := range []struct{ form, put string }{
		{`(?m)^.*\bKilled\b.*\n`, ""}, // each shell has its own words
		{`(^|[\s"'])/[^\s"']+`, "$1/path"},
		{`\b(sh|git-resume|process) \d+( on \S+)?`, "process"},
		{`\b[0-9a-f]{7,64}\b`, "hash"},
		{`(-|\(|--run |under |resume |log )[a-z2-7]{4}\b`, "${1}id"},
		{`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`, "time"},
		{`\d+ (second|minute)s?( ago)?|just now`, "time"},
		{`[ \t]+`, " "},
		{`(?m) $`, ""},
	} {
		text = regexp.MustCompile(r.form).ReplaceAllString(text, r.put)
	}
	return text
}

func TestPlain_hidesOnlyWhatVaries(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{"shop-a7f3 done as 9c1e2aa", "shop-k2lq done as 41b7d09"},
		{"shop (a7f3) stopped 1 second ago", "shop (zzzz) stopped 42 seconds ago"},
		{"  where    /tmp/x/shop.worktrees  (b)", "  where    /var/y…es  (b)"},
		{"by  git-resume 3552 is gone", "by  git-resume 12345 is gone"},
		{"by sh 9 on here", "by sh 7777 on there"},
		{"finished  a-a7f3  5/5  just now", "finished  a-b7f3  5/5  3 seconds ago"},
	}
	for _, s := range same {
		if plain(s[0]) != plain(s[1]) {
			t.Errorf("%q and %q differ: %q, %q", s[0], s[1], plain(s[0]), plain(s[1]))
		}
	}
	if a, b := "task 1 of 5, schema, done", "task 2 of 5, schema, done"; plain(a) == plain(b) {
		t.Errorf("%q and %q are the same", a, b)
	}
	if os.PathSeparator == '/' && plain("see /etc") != "see /path" {
		t.Errorf("a path stays: %q", plain("see /etc"))
	}
}
