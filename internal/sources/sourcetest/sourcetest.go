// Package sourcetest checks that the readers of workflow systems meet their requirements. The file requirements.tsv
// lists the requirements by number. A test case has input files, an expected result, and a change of the input that must
// change the result. A case that no change can break would prove nothing.
package sourcetest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed requirements.tsv
var list string

// Requirement is one row of the list of requirements.
type Requirement struct {
	ID string
	// Kind is the origin of the requirement: T is the documentation, X the system's source code, R real files, and I our own conclusion.
	Kind string
	// Source is the name of the source. A requirement of several sources has all their names.
	Source string
	// Says is the requirement as a sentence.
	Says string
}

// Requirements returns the requirements of one source. If the argument "source" is empty, it returns those of all sources.
func Requirements(source string) ([]Requirement, error) { return readRequirements(list, source) }

func readRequirements(list, source string) ([]Requirement, error) {
	var out []Requirement
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case len(f) != 4:
			return nil, fmt.Errorf("%q has %d columns instead of 4", line, len(f))
		case len(f[3]) < 20 || !strings.HasSuffix(f[3], "."):
			return nil, fmt.Errorf("%s: %q is no sentence", f[0], f[3])
		case source == "" || slices.Contains(strings.Fields(f[2]), source):
			out = append(out, Requirement{f[0], f[1], f[2], f[3]})
		}
	}
	return out, nil
}

// Case is one test case. It shows that a source meets some of its requirements.
type Case struct {
	// IDs lists the requirements that the case covers, separated by spaces. For example, "S0-47..53" means S0-47 to S0-53.
	IDs string
	// In lists the names of txtar archives below testdata, separated by spaces. Their files are written to the worktree. A later archive
	// may replace files of an earlier one.
	In string
	// Prepare makes further changes to the repository, such as branches, worktrees and commits. The files from the archives are already
	// written then, but not committed.
	Prepare func(r *gittest.Repo)
	// Want is a JSON pattern for the result. Objects may have additional keys. Lists must have the same length. If the
	// list in the pattern ends with "…", the result may have more elements. If it starts with "…", its other elements
	// may match anywhere in the result. The text "*" matches any value except null and the empty text.
	Want string
	// Mutate changes the input. Afterwards Want must no longer match, and the optional pattern Then must match.
	Mutate Mutation
	Then   string
	// Act is an optional action on the first piece of work that is found. If it is set, the patterns Want and Then describe the file
	// changes, as in {"changes":[…]}.
	Act *sources.ActionRequest
}

// Mutation is a change to the input files or the repository.
type Mutation func(r *gittest.Repo)

// Replace replaces every occurrence of a text in a file. The test fails if the file does not contain the text.
func Replace(path, old, new string) Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		text := r.Read(path)
		if !strings.Contains(text, old) {
			r.T.Fatalf("%s has no %q to change", path, old)
		}
		r.Write(path, strings.ReplaceAll(text, old, new))
	}
}

// Remove deletes a file or folder. The test fails if it does not exist.
func Remove(path string) Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		full := filepath.Join(r.Dir, path)
		if _, err := os.Lstat(full); err != nil {
			r.T.Fatal(err)
		}
		if err := os.RemoveAll(full); err != nil {
			r.T.Fatal(err)
		}
	}
}

// Add writes a file.
func Add(path, text string) Mutation { return func(r *gittest.Repo) { r.Write(path, text) } }

// Both applies several changes.
func Both(all ...Mutation) Mutation {
	return func(r *gittest.Repo) {
		for _, m := range all {
			m(r)
		}
	}
}

// Now is the current time in all test cases.
var Now = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

// Run runs the cases of a source and checks that they cover all its requirements. The map "elsewhere" lists the requirements that need no
// case, with the reason, for example another test.
func Run(t *testing.T, s sources.Source, cases []Case, elsewhere map[string]string) {
	t.Helper()
	all, err := Requirements(s.Name())
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, c := range cases {
		ids := Expand(t, c.IDs)
		for _, id := range ids {
			covered[id] = true
		}
		t.Run(strings.ReplaceAll(c.IDs, " ", "_"), func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				for _, q := range all {
					if t.Failed() && slices.Contains(ids, q.ID) {
						t.Logf("required of %s, %s: %s", q.Source, q.ID, q.Says)
					}
				}
			})
			c.run(t, s)
		})
	}
	cover(t, all, covered, elsewhere)
}

func cover(t *testing.T, all []Requirement, covered map[string]bool, elsewhere map[string]string) {
	t.Helper()
	count := map[string]int{}
	for _, q := range all {
		if covered[q.ID] {
			count[q.Kind]++
		} else {
			count[q.Kind+" elsewhere"]++
		}
	}
	for _, wrong := range uncovered(all, covered, elsewhere) {
		t.Error(wrong)
	}
	t.Logf("%d requirements, by kind: %v", len(all), count)
}

// uncovered returns messages about requirements without a case, cases without a requirement, and wrong entries in the map "elsewhere".
func uncovered(all []Requirement, covered map[string]bool, elsewhere map[string]string) []string {
	var wrong []string
	known := map[string]bool{}
	for _, q := range all {
		known[q.ID] = true
		if !covered[q.ID] && elsewhere[q.ID] == "" {
			wrong = append(wrong, fmt.Sprintf("%s (%s) has no case: %s", q.ID, q.Kind, q.Says))
		}
	}
	for id := range covered {
		if !known[id] {
			wrong = append(wrong, id+" has a case and is no requirement")
		}
	}
	for id := range elsewhere {
		if !known[id] || covered[id] {
			wrong = append(wrong, id+" is named as shown elsewhere, and is unknown or has a case")
		}
	}
	return wrong
}

// Expand splits a list of ids and expands the ranges in it.
func Expand(t testing.TB, ids string) []string {
	t.Helper()
	var out []string
	for _, id := range strings.Fields(ids) {
		first, last, isRange := strings.Cut(id, "..")
		if !isRange {
			out = append(out, id)
			continue
		}
		prefix, number, _ := strings.Cut(first, "-")
		var from, to int
		if _, err := fmt.Sscan(number, &from); err != nil {
			t.Fatalf("%q is no range of ids", id)
		}
		if _, err := fmt.Sscan(last, &to); err != nil || to < from {
			t.Fatalf("%q is no range of ids", id)
		}
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf("%s-%d", prefix, n))
		}
	}
	return out
}

func (c Case) run(t *testing.T, s sources.Source) {
	r := gittest.New(t)
	for name := range strings.FieldsSeq(c.In) {
		Place(r, filepath.Join("testdata", name))
	}
	if c.Prepare != nil {
		c.Prepare(r)
	}
	got := c.look(t, s, r)
	if why := Match(c.Want, got); why != "" {
		t.Fatalf("%s\nfound: %s", why, got)
	}
	if c.Mutate == nil {
		t.Fatal("no change of the input breaks this case")
	}
	c.Mutate(r)
	got = c.look(t, s, r)
	if Match(c.Want, got) == "" {
		t.Errorf("the changed input gives the same answer:\n%s", got)
	}
	if why := Match(c.Then, got); c.Then != "" && why != "" {
		t.Errorf("after the change: %s\nfound: %s", why, got)
	}
}

func (c Case) look(t *testing.T, s sources.Source, r *gittest.Repo) string {
	t.Helper()
	v, done := View(r)
	defer done()
	found, err := s.Find(t.Context(), v)
	if err != nil {
		return encode(t, map[string]any{"error": err.Error()})
	}
	if c.Act == nil {
		return encode(t, found)
	}
	if len(found) == 0 {
		return "[]"
	}
	actor, ok := s.(sources.Actor)
	if !ok {
		t.Fatalf("%s cannot act", s.Name())
	}
	changes, err := actor.Act(t.Context(), v, &found[0], *c.Act)
	if err != nil {
		return encode(t, map[string]any{"error": err.Error()})
	}
	type change struct {
		Path string `json:"path"`
		Now  string `json:"now,omitempty"`
		To   string `json:"to,omitempty"`
		Gone bool   `json:"gone,omitempty"`
	}
	out := []change{}
	for _, ch := range changes {
		out = append(out, change{ch.Path, string(ch.Now), ch.To, ch.Gone})
	}
	return encode(t, map[string]any{"changes": out})
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) == "null" {
		return "[]"
	}
	return string(text)
}

// Place writes the files of an archive into a worktree.
func Place(r *gittest.Repo, archive string) {
	r.T.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		r.T.Fatal(err)
	}
	for _, f := range a.Files {
		r.Write(f.Name, string(f.Data))
	}
}

// View opens a test repository as a sources.View. The returned function closes it.
func View(r *gittest.Repo) (*sources.View, func()) {
	r.T.Helper()
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		r.T.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	setting := func(key string) []string {
		c, err := repo.Settings.Config(r.T.Context())
		if err != nil {
			r.T.Fatal(err)
		}
		return c.All(strings.ToLower(key))
	}
	return sources.NewView(repo, Now, setting), repo.Close
}

// Find lets a source search for work in a test repository.
func Find(r *gittest.Repo, s sources.Source) []sources.Found {
	r.T.Helper()
	v, done := View(r)
	defer done()
	found, err := s.Find(r.T.Context(), v)
	if err != nil {
		r.T.Fatal(err)
	}
	requireNoSecret(r, found)
	return found
}

// Do carries out an action on the first piece of work that is found, and returns the file changes. It checks that each change is based on
// the current content of its file.
func Do(r *gittest.Repo, s sources.Actor, w sources.ActionRequest) []sources.Change {
	r.T.Helper()
	v, done := View(r)
	defer done()
	found, err := s.Find(r.T.Context(), v)
	if err != nil || len(found) == 0 {
		r.T.Fatalf("found %v, %v", found, err)
	}
	changes, err := s.Act(r.T.Context(), v, &found[0], w)
	if err != nil {
		r.T.Fatal(err)
	}
	for _, c := range changes {
		if err := carry(c); err != nil {
			r.T.Fatal(err)
		}
	}
	return changes
}

func carry(c sources.Change) error {
	path, to := filepath.Join(c.Tree, c.Path), filepath.Join(c.Tree, c.To)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		had, err := os.ReadFile(path)
		if (err == nil) != (c.Was != nil) || string(had) != string(c.Was) {
			return fmt.Errorf("%s was not worked out from what is there", c.Path)
		}
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(to)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if c.Now != nil {
		if err := os.WriteFile(path, c.Now, 0o644); err != nil {
			return err
		}
	}
	switch {
	case c.Gone:
		return os.Remove(path)
	case c.To != "":
		return os.Rename(path, to)
	}
	return nil
}
