package house

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

var update = flag.Bool("update", false, "write the walks in docs/ARCHITECTURE.md anew")

// onTheWay reports whether a package is shown in the section "Four walks" of docs/ARCHITECTURE.md. A walk lists the calls between
// packages during one command, from the command down to the journal and the worktrees. Screens, the readers of other systems, and the
// packages that call git are left out.
func onTheWay(room string) bool {
	if strings.HasPrefix(room, "internal/screen") || strings.HasPrefix(room, "internal/sources") || slices.Contains(testRooms, room) {
		return false
	}
	height, ok := heightOf(room)
	return ok && height >= heights["internal/execution"] || slices.Contains([]string{"checkpoint/journal", "checkpoint/owner", "worktree", "worktree/snapshot", "worktree/trash"}, room)
}

// recorder is source code that these tests add to the program. It records the first call that a function gets from each other package.
// It records only calls on the main goroutine, because the order of calls on other goroutines varies.
const recorder = `package walk

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

const module = "github.com/git-resume/git-resume/"

var mu sync.Mutex
var seen = map[string]bool{}

func In(room, name string) {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	caller, main := "", false
	for {
		f, more := frames.Next()
		from, ok := strings.CutPrefix(f.Function, module)
		if strings.HasPrefix(f.Function, "main.") {
			from, ok = "cmd/git-resume.x", true
		}
		if caller == "" && ok {
			slash := strings.LastIndex(from, "/") + 1
			caller = from[:slash+strings.Index(from[slash:], ".")]
		}
		main = main || f.Function == "main.main"
		if !more {
			break
		}
	}
	line := fmt.Sprintf("%s %s %s\n", caller, room, name)
	mu.Lock()
	defer mu.Unlock()
	if !main || caller == room || seen[line] {
		return
	}
	seen[line] = true
	f, err := os.OpenFile(os.Getenv("GIT_RESUME_WALK"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString(line)
}
`

// walker builds the program with the recorder in it. The project's files stay as they are: the compiler reads changed copies in their
// place.
func walker(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	full, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]string{}
	put := func(path string, text []byte) {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", len(place)))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		place[filepath.Join(full, filepath.FromSlash(path))] = file
	}
	put("internal/walk/walk.go", []byte(recorder))
	for _, s := range goFiles(t) {
		if !s.isTest() && onTheWay(s.room()) {
			if text, changed := watched(t, s); changed {
				put(s.path, text)
			}
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": place})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := gittest.BuildInto(bin, full, "-overlay", list, "-tags", "urfave_cli_no_docs"); err != nil {
		t.Fatal(err)
	}
	return bin
}

// watched returns the source of a file with a call to the recorder at the start of every function except init.
func watched(t *testing.T, s source) (text []byte, changed bool) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, s.path, s.text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(s.text)
	for i := len(f.Decls) - 1; i >= 0; i-- {
		fn, ok := f.Decls[i].(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "init" {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			name = strings.TrimPrefix(printed(set, fn.Recv.List[0].Type), "*") + "." + name
		}
		at := set.Position(fn.Body.Lbrace).Offset + 1
		text = slices.Insert(text, at, []byte(fmt.Sprintf("walk__.In(%q, %q);", s.room(), name))...)
		changed = true
	}
	at := set.Position(f.Name.End()).Offset
	return slices.Insert(text, at, []byte(`; import walk__ "`+module+`/internal/walk"`)...), changed
}

func printed(set *token.FileSet, n any) string {
	var b bytes.Buffer
	if err := format.Node(&b, set, n); err != nil {
		return err.Error()
	}
	return b.String()
}

// step is a call from one package into another.
type step struct{ from, to, name string }

// walked runs a command in a repository and returns its calls from one package into another.
func walked(t *testing.T, r *gittest.Repo, bin string, args ...string) []step {
	t.Helper()
	file := filepath.Join(t.TempDir(), "walk")
	cmd := exec.Command(filepath.Join(bin, "git-resume"), args...)
	cmd.Dir, cmd.Env = r.Dir, append(r.Env, "GIT_RESUME_WALK="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git resume %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		steps = append(steps, step{words[0], words[1], words[2]})
	}
	return steps
}

// asks returns the functions of higher packages that a lower package may call nevertheless. The methods of an interface are listed under
// the package that declares the interface. Functions that are passed as values, such as the clock, are listed under the key "given".
func asks(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, s := range goFiles(t) {
		f, err := parser.ParseFile(token.NewFileSet(), s.path, s.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						out[s.room()] = append(out[s.room()], name.Name)
					}
				}
			case *ast.KeyValueExpr:
				if name, ok := n.Value.(*ast.Ident); ok && !s.isTest() {
					out[given] = append(out[given], name.Name)
				}
			}
			return true
		})
	}
	return out
}

// given is the key in the result of asks for functions that are passed as values. It is no package, because every package may call these
// functions.
const given = ""

// drawn formats the recorded calls for the document. It starts a new line when the called package changes, and lists the called functions
// in order.
func drawn(steps []step) string {
	var b strings.Builder
	last := ""
	for _, s := range steps {
		from, _ := heightOf(s.from)
		if to, _ := heightOf(s.to); to >= from {
			continue // leave out calls from a lower package into a higher one
		}
		room := strings.TrimPrefix(s.to, "internal/")
		switch {
		case room != last:
			fmt.Fprintf(&b, "\n%-18s %s", room, s.name)
		default:
			fmt.Fprintf(&b, ", %s", s.name)
		}
		last = room
	}
	return strings.TrimPrefix(b.String(), "\n") + "\n"
}

// TestWalks records the calls between packages for four commands, and compares them with docs/ARCHITECTURE.md. A call from a lower
// package to a higher one must be a call of an interface method or of a function that was passed as a value.
func TestWalks(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	bin, may := walker(t), asks(t)
	document := filepath.Join(root, "docs", "ARCHITECTURE.md")
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *gittest.Repo {
		r := gittest.New(t)
		r.MustResume("start", "--here", "--name", "job", "--task", "schema", "--task", "docs")
		r.MustResume("task", "start", "schema")
		r.Write("schema.sql", "create table t;\n")
		return r
	}
	now := text
	for _, w := range []struct {
		name string
		args []string
	}{
		{"status", []string{"status"}},
		{"task done", []string{"task", "done", "schema"}},
		{"git resume", []string{"--yes", "job"}},
		{"--discard", []string{"--discard", "--yes", "--force"}},
	} {
		steps := walked(t, fresh(), bin, w.args...)
		for _, s := range steps {
			from, _ := heightOf(s.from)
			to, _ := heightOf(s.to)
			if method := s.name[strings.LastIndex(s.name, ".")+1:]; to >= from && method != "Write" && !slices.Contains(may[s.from], method) && !slices.Contains(may[given], method) {
				t.Errorf("%s: %s calls %s of %s, which stands above it", w.name, s.from, s.name, s.to)
			}
		}
		if len(steps) == 0 {
			t.Errorf("%s: no steps were recorded", w.name)
		}
		block := regexp.MustCompile("(?s)(<!-- walk: " + regexp.QuoteMeta(w.name) + " -->\n```\n).*?(```\n)")
		if !block.Match(now) {
			t.Errorf("docs/ARCHITECTURE.md has no walk of %s", w.name)
		}
		now = block.ReplaceAll(now, []byte("${1}"+drawn(steps)+"${2}"))
	}
	switch {
	case bytes.Equal(now, text):
	case *update:
		if err := os.WriteFile(document, now, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the walks in docs/ARCHITECTURE.md are not those of the program; 'go test ./internal/house -run Walks -update' writes them")
	}
}
