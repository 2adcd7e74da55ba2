package conflicts_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// TestOracle repeats those merges of a repository that have two parents, and compares the answers with git merge-tree. It runs only with
// "make oracle REPO=path [N=…] [ENGINE=…]". ORACLE_VERBOSE=1 prints every disagreement. ORACLE_ONLY="COMMIT…" repeats only these merges.
func TestOracle(t *testing.T) {
	path := os.Getenv("ORACLE_REPO")
	if path == "" {
		t.Skip("ORACLE_REPO names no repository")
	}
	debug.SetGCPercent(400) // the program uses the same setting
	n, _ := strconv.Atoi(os.Getenv("ORACLE_N"))
	o := newOracle(t, path, conflicts.Engine(os.Getenv("ORACLE_ENGINE")))
	o.replay(n)
	fmt.Print(o.table())
	if err := o.judge(); err != nil {
		t.Error(err)
	}
}

// oracle counts how often one engine agrees and disagrees with git.
type oracle struct {
	t      *testing.T
	repo   *gitstate.Repo
	engine conflicts.Engine

	merges, manyBases, clean       int
	truePos, falsePos, falseNeg    int // these three numbers count merges, not files
	files, found, missed, invented int
	unknown                        int
	kinds                          map[clash.Kind][2]int // how often each kind of conflict was found and missed
	marked, exact, wide, uncovered int
	git, ours, less                []time.Duration
	ratios                         []float64
	slow                           int
}

func newOracle(t *testing.T, path string, e conflicts.Engine) *oracle {
	if e == "" {
		e = conflicts.Git
	}
	place, err := locate.Find(path, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	r := gitstate.Open(place, os.Environ())
	t.Cleanup(r.Close)
	return &oracle{t: t, repo: r, engine: e, kinds: map[clash.Kind][2]int{}}
}

// replay repeats n merges, evenly distributed over the whole history, or all merges if n is 0.
func (o *oracle) replay(n int) {
	args := []string{"rev-list", "--min-parents=2", "--max-parents=2", "--parents"}
	if only := strings.Fields(os.Getenv("ORACLE_ONLY")); len(only) > 0 {
		args = append(append(args, "--no-walk"), only...)
	} else {
		args = append(args, "--all")
	}
	out, err := o.repo.Git(context.Background(), process.Call{Args: args})
	if err != nil {
		o.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	step := 1.0
	if n > 0 && n < len(lines) {
		step = float64(len(lines)) / float64(n)
	}
	verbose := os.Getenv("ORACLE_VERBOSE") != ""
	for at := 0.0; int(at) < len(lines); at += step {
		f := strings.Fields(lines[int(at)])
		if len(f) != 3 {
			continue
		}
		if bad := o.pair(object.ID(f[1]), object.ID(f[2])); bad != "" && verbose {
			fmt.Printf("%s %s %s: %s\n", f[0], f[1], f[2], bad)
		}
	}
}

// pair merges two commits with the engine and with git, and counts the result. It returns a line that describes any disagreement, or "" if
// there is none.
func (o *oracle) pair(ours, theirs object.ID) string {
	ctx := context.Background()
	var truth truth
	var rep conflicts.Report
	var took time.Duration
	var err error
	ask := func() {
		begin := time.Now()
		rep, err = conflicts.Check(ctx, o.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: o.engine})
		took = time.Since(begin)
	}
	// askLess measures a check that does not find out which commits made the conflicting lines.
	askLess := func() time.Duration {
		begin := time.Now()
		_, _ = conflicts.Check(ctx, o.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: o.engine, Detail: conflicts.Where})
		return time.Since(begin)
	}
	// Our engine and git take turns in running first. The second one is faster, because the files are already in memory.
	if first := o.merges%2 == 0; first {
		ask()
		truth = mergeTruth(o.t, o.repo, ours, theirs)
	} else {
		truth = mergeTruth(o.t, o.repo, ours, theirs)
		ask()
	}
	defer truth.close()
	for try := 0; try < 3 && err == nil && took > 2*time.Second; try++ {
		was := took // the machine may have been busy, so the shortest of a few tries counts
		ask()
		took = min(took, was)
	}
	if truth.err != "" {
		if err == nil {
			return "git: " + truth.err
		}
		return ""
	}
	if err != nil {
		o.t.Errorf("%s %s: %v", ours, theirs, err)
		return err.Error()
	}
	if o.engine == conflicts.Builtin && len(rep.Bases) > 1 {
		o.manyBases++
		return ""
	}
	o.merges++
	o.git, o.ours = append(o.git, truth.took), append(o.ours, took)
	less := took // a clean merge has no conflicting lines, so its check never looks for commits
	if !rep.Clean {
		less = askLess()
	}
	o.less = append(o.less, less)
	o.ratios = append(o.ratios, float64(took)/float64(truth.took))
	bad := o.compare(rep, truth)
	if took > 2*time.Second {
		o.slow++
		bad += fmt.Sprintf(" slow: %s, git %s", took, truth.took)
	}
	return bad
}

func (o *oracle) compare(rep conflicts.Report, truth truth) string {
	switch {
	case truth.clean && rep.Clean:
		o.clean++
	case truth.clean:
		o.falsePos++
	case rep.Clean:
		o.falseNeg++
	default:
		o.truePos++
	}
	said := map[string]conflicts.Conflict{}
	for _, c := range rep.Conflicts {
		said[c.Path] = c
		if c.Kind == clash.Unknown {
			o.unknown++
		}
	}
	var bad []string
	for path, kind := range truth.kinds {
		o.files++
		count := o.kinds[kind]
		if c, ok := said[path]; ok {
			o.found++
			count[0]++
			if why := o.covers(c, truth, path); why != "" {
				bad = append(bad, why+" "+strconv.Quote(path))
			}
		} else {
			o.missed++
			count[1]++
			bad = append(bad, "missed "+string(kind)+" "+strconv.Quote(path))
		}
		o.kinds[kind] = count
		delete(said, path)
	}
	for path, c := range said {
		o.invented++
		bad = append(bad, "invented "+string(c.Kind)+" "+strconv.Quote(path)+" "+c.Why)
	}
	if truth.clean != rep.Clean && len(bad) == 0 {
		bad = append(bad, fmt.Sprintf("clean %v, git %v %v", rep.Clean, truth.clean, rep.Notes))
	}
	return strings.Join(bad, "; ")
}

// The method "covers" checks that the reported line ranges contain all lines between the conflict markers in git's merged file, and no
// others. It returns a word for the fault, or "".
func (o *oracle) covers(c conflicts.Conflict, truth truth, path string) string {
	if c.Kind != clash.Content && c.Kind != clash.AddAdd {
		return ""
	}
	if c.Ours.Version.Mode == 0 || c.Theirs.Version.Mode == 0 {
		return ""
	}
	merged, ok := truth.show(truth.tree + ":" + path)
	if !ok {
		return "" // git has no merged file at this path, because the file was renamed
	}
	ours, _ := truth.show(string(c.Ours.Version.ID))
	theirs, _ := truth.show(string(c.Theirs.Version.ID))
	merged = bytes.ReplaceAll(merged, []byte(truth.ours+":"+c.Ours.Path), []byte(truth.ours))
	merged = bytes.ReplaceAll(merged, []byte(truth.theirs+":"+c.Theirs.Path), []byte(truth.theirs))
	marks := marksIn(merged, truth.ours, truth.theirs)
	if len(marks) == 0 {
		return ""
	}
	o.marked++
	if !coversAll(c, splitLines(ours), splitLines(theirs), marks) {
		o.uncovered++
		return "uncovered " + c.Why
	}
	if c.Why != "" || !narrow(c, marks) {
		o.wide++
		return "wide"
	}
	o.exact++
	return ""
}

// coversAll checks that the lines between the conflict markers are inside the reported ranges, on both sides and in the same
// order.
func coversAll(c conflicts.Conflict, ours, theirs []string, marks [][][2][]string) bool {
	k := 0
	var from [2]int
	for _, readings := range marks {
		found := false
		for ; k < len(c.Ours.Ranges) && k < len(c.Theirs.Ranges); k++ {
			for _, m := range readings {
				a, okA := pieceIn(c.Ours.Ranges[k], ours, m[0], from[0])
				b, okB := pieceIn(c.Theirs.Ranges[k], theirs, m[1], from[1])
				if okA && okB {
					from, found = [2]int{a, b}, true
					break
				}
			}
			if found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// narrow checks that there is one range for each pair of conflict markers, and that it has as many lines as are between the markers.
func narrow(c conflicts.Conflict, marks [][][2][]string) bool {
	if len(c.Ours.Ranges) != len(marks) || len(c.Theirs.Ranges) != len(marks) {
		return false
	}
	size := func(r conflicts.Range) int { return r.To - r.From + 1 }
	for k, readings := range marks {
		if !slices.ContainsFunc(readings, func(m [2][]string) bool {
			return size(c.Ours.Ranges[k]) == len(m[0]) && size(c.Theirs.Ranges[k]) == len(m[1])
		}) {
			return false
		}
	}
	return true
}

// pieceIn searches a line range for a sequence of lines, beginning at the position "from". It returns the end of the sequence. If the
// sequence is not found, ok is false.
func pieceIn(r conflicts.Range, lines, piece []string, from int) (end int, ok bool) {
	if r.From < 1 || r.To > len(lines) || r.To < r.From-1 {
		return 0, false
	}
	for at := max(from, r.From-1); at+len(piece) <= r.To; at++ {
		if slices.Equal(lines[at:at+len(piece)], piece) {
			return at + len(piece), true
		}
	}
	return 0, false
}

func splitLines(text []byte) []string {
	var out []string
	for l := range bytes.Lines(text) {
		out = append(out, strings.TrimRight(string(l), "\r\n"))
	}
	return out
}

// marksIn returns the lines of both sides between git's conflict markers. If several lines look like the middle marker, it
// returns one possible division for each of them.
func marksIn(text []byte, ours, theirs string) [][][2][]string {
	var out [][][2][]string
	var inside []string
	open := false
	for _, l := range splitLines(text) {
		switch {
		case !open && strings.HasPrefix(l, "<<<<<<<") && strings.Contains(l, "< "+ours):
			open, inside = true, nil
		case open && strings.HasPrefix(l, ">>>>>>>") && strings.Contains(l, "> "+theirs):
			open = false
			var readings [][2][]string
			for i, x := range inside {
				if strings.HasPrefix(x, "=======") && strings.Trim(x, "=") == "" {
					readings = append(readings, [2][]string{inside[:i], inside[i+1:]})
				}
			}
			out = append(out, readings)
		case open:
			inside = append(inside, l)
		}
	}
	return out
}

// truth is git's own answer. It is obtained without any code of the tested package.
type truth struct {
	err          string
	clean        bool
	tree         string
	ours, theirs string
	kinds        map[string]clash.Kind
	said         []string
	took         time.Duration
	env          []string
	store, dir   string
	// If the function "read" is set, it reads objects. Otherwise a process is started for each object.
	read func(name string) ([]byte, bool)
}

func mergeTruth(t *testing.T, r *gitstate.Repo, ours, theirs object.ID) truth {
	t.Helper()
	store, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		t.Fatal(err)
	}
	tr := truth{ours: string(ours), theirs: string(theirs), kinds: map[string]clash.Kind{}, store: store, dir: r.GitDir}
	tr.env = append(os.Environ(), "GIT_OBJECT_DIRECTORY="+store, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+r.CommonPath("objects"), "LC_ALL=C")
	if r.WorkTree != "" {
		tr.dir = r.WorkTree
	}
	cmd := exec.Command("git", "merge-tree", "--write-tree", "-z", tr.ours, tr.theirs)
	cmd.Dir, cmd.Env = tr.dir, tr.env
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	begin := time.Now()
	out, err := cmd.Output()
	tr.took = time.Since(begin)
	code := cmd.ProcessState.ExitCode()
	if err != nil && code != 1 {
		tr.err = errOut.String()
		return tr
	}
	tr.clean = code == 0
	tr.parse(string(out))
	return tr
}

func (tr *truth) parse(out string) {
	list, messages, _ := strings.Cut(out, "\x00\x00")
	f := strings.Split(strings.TrimRight(list, "\x00"), "\x00")
	tr.tree = f[0]
	stages := map[string]string{}
	for _, rec := range f[1:] {
		head, path, _ := strings.Cut(rec, "\t")
		stages[path] += head[len(head)-1:]
	}
	said := map[string]string{}
	for f := strings.Split(messages, "\x00"); len(f) > 3; {
		n, _ := strconv.Atoi(f[0])
		for _, p := range f[1 : n+1] {
			said[p] += f[n+1]
		}
		tr.said = append(tr.said, strings.TrimSpace(f[n+2]))
		f = f[n+3:]
	}
	for path, st := range stages {
		tr.kinds[path] = truthKind(said[path], st)
	}
}

func truthKind(said, stages string) clash.Kind {
	for _, k := range []struct {
		word string
		kind clash.Kind
	}{
		{"file/directory", clash.FileDirectory}, {"rename/rename", clash.RenameRename},
		{"rename/delete", clash.RenameDelete}, {"directory rename", clash.DirectoryRename},
		{"distinct", clash.Symlink}, {"modify/delete", clash.ModifyDelete}, {"submodule", clash.Submodule},
		{"binary", clash.Binary}, {"rename involved", clash.RenameAdd},
	} {
		if strings.Contains(said, k.word) {
			return k.kind
		}
	}
	if stages == "23" {
		return clash.AddAdd
	}
	return clash.Content
}

func (tr *truth) show(name string) ([]byte, bool) {
	if tr.read != nil {
		return tr.read(name)
	}
	cmd := exec.Command("git", "cat-file", "blob", name)
	cmd.Dir, cmd.Env = tr.dir, tr.env
	out, err := cmd.Output()
	return out, err == nil
}

func (tr *truth) close() {
	if tr.store != "" {
		_ = os.RemoveAll(tr.store)
	}
}

func quantile[T time.Duration | float64](xs []T, q float64) T {
	if len(xs) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(xs))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

func over(a, b []time.Duration, q float64) float64 {
	return float64(quantile(a, q)) / float64(max(quantile(b, q), 1))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (o *oracle) table() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-34s "+format+"\n", append([]any{name}, args...)...)
	}
	row("engine", "%s", o.engine)
	row("merges compared", "%d", o.merges)
	if o.engine == conflicts.Builtin {
		row("merges with several bases, left out", "%d", o.manyBases)
	}
	row("conflicting merges by git", "%d", o.truePos+o.falseNeg)
	row("conflicting merges missed", "%d (recall %.4f)", o.falseNeg, share(o.truePos, o.truePos+o.falseNeg))
	row("false alarms, merges", "%d (precision %.4f)", o.falsePos, share(o.truePos, o.truePos+o.falsePos))
	row("conflicting files by git", "%d", o.files)
	row("found", "%d", o.found)
	row("missed", "%d (recall %.4f)", o.missed, share(o.found, o.files))
	row("false alarms, files", "%d (precision %.4f), %d of them or of the found 'cannot tell'", o.invented, share(o.found, o.found+o.invented), o.unknown)
	for _, k := range slices.Sorted(maps.Keys(o.kinds)) {
		row("  "+string(k), "%d found, %d missed", o.kinds[k][0], o.kinds[k][1])
	}
	row("files with conflict markers", "%d: lines exact %d, whole file named %d, not covered %d", o.marked, o.exact, o.wide, o.uncovered)
	row("time, git merge-tree", "median %s, p95 %s", quantile(o.git, .5).Round(10*time.Microsecond), quantile(o.git, .95).Round(10*time.Microsecond))
	row("time, ours", "median %s, p95 %s, longest %s", quantile(o.ours, .5).Round(10*time.Microsecond), quantile(o.ours, .95).Round(10*time.Microsecond), quantile(o.ours, 1).Round(time.Millisecond))
	row("ours / git, median to median", "%.2f, p95 to p95 %.2f", over(o.ours, o.git, .5), over(o.ours, o.git, .95))
	row("  without naming the commits", "%.2f, p95 to p95 %.2f", over(o.less, o.git, .5), over(o.less, o.git, .95))
	row("ours / git, pair by pair", "median %.2f, p95 %.2f", quantile(o.ratios, .5), quantile(o.ratios, .95))
	row("pairs over 2 s", "%d", o.slow)
	return b.String()
}

// judge returns an error if the engine missed or invented too many conflicts, or if its ranges leave out conflicting lines. It does not
// check the speed.
func (o *oracle) judge() error {
	switch {
	case o.uncovered > 0:
		return fmt.Errorf("%d files whose ranges do not cover git's markers", o.uncovered)
	case o.engine == conflicts.Git && o.missed+o.invented+o.falseNeg+o.falsePos > 0:
		return fmt.Errorf("git's engine missed %d and invented %d files", o.missed, o.invented)
	case o.engine == conflicts.Builtin && (share(o.truePos, o.truePos+o.falseNeg) < .998 || share(o.truePos, o.truePos+o.falsePos) < .998 || share(o.found, o.files) < .99):
		return fmt.Errorf("the builtin engine is below its marks")
	}
	return nil
}
