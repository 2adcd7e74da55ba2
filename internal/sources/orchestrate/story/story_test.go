package story

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources"
)

func TestKeyOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"4.2": "4.2", "story-4.2": "4.2", "STORY-42": "42", "ACT-5": "act-5", "27-1": "27.1", "Story 3.1": "3.1", "test-bob-1": "test-bob-1", "2026-01-15-x": "2026-01-15-x", "": "",
	} {
		if got := KeyOf(id); got != want {
			t.Errorf("%q is %q, want %q", id, got, want)
		}
	}
	for name, want := range map[string]string{
		"docs/stories/4.2.story.md": "4.2", "docs/stories/story-3.11b-quality.md": "3.11b", "docs/stories/x/story-act-6-unified.md": "act-6", "docs/stories/FND-2/story.md": "FND-2",
		"docs/stories/active/27-1-login.md": "27-1", "docs/stories/story-audit-hardening.md": "audit-hardening", "docs/stories/2026-01-15-thing.md": "2026-01-15-thing",
	} {
		if got := IDOf(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestChangedSections(t *testing.T) {
	t.Parallel()
	old := "# S\n**Status:** Draft\n\n## Acceptance Criteria\n\n### First\n- [ ] a\n```gherkin\nGiven x\n```\n\n## Dev Notes\nn\n\n## Tasks\n- [ ] one\n\n## Change Log\n- x\n"
	for name, c := range map[string]struct{ from, to, want string }{
		"nothing":         {"", "", ""},
		"a tick":          {"- [ ] a", "- [x] a", ""},
		"blanks":          {"- [ ] a\n", "-  [ ]  a  \n\n", ""},
		"the status":      {"Draft", "Done", ""},
		"a criterion":     {"- [ ] a", "- [ ] b", "blocking Acceptance Criteria"},
		"in a code block": {"Given x", "Given y", "blocking Acceptance Criteria"},
		"a new heading":   {"## Dev Notes", "## Scope\nall\n\n## Dev Notes", "blocking Scope"},
		"notes":           {"\nn\n", "\nm\n", "warning Dev Notes"},
		"a new task":      {"- [ ] one", "- [ ] one\n- [ ] two", "warning Tasks"},
		"the log":         {"- x", "- x\n- y", "info Change Log"},
		"a lost section":  {"## Dev Notes\nn\n", "", "warning Dev Notes"},
	} {
		var got []string
		for _, s := range Changes(old, strings.Replace(old, c.from, c.to, 1)) {
			got = append(got, s.Weight.String()+" "+s.Title)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
	}
}

func FuzzStory(f *testing.F) {
	f.Add("# Story 4.2: x\n**Status:** InProgress — x\n## Tasks\n- [x] a\n## Change Log\n| a | b |\n|--|--|\n| Implementation | complete |\n", "docs/stories/4.2.story.md")
	f.Add("## Status\n- [x] Rascunho\n", "docs/stories/x/story.md")
	f.Fuzz(func(t *testing.T, text, name string) {
		s := Parse(name, []byte(text))
		_ = s.Read()
		_ = Changes(text, "# S\n## Scope\nx\n")
		if s.Meaning == sources.MeansDone && sources.MeaningOf(s.Word) != sources.MeansDone {
			t.Errorf("%q was guessed to be done", s.Word)
		}
	})
}

// TestRead_begun: a story counts as in progress if a part of its tasks is ticked and no later story was started, even if nobody changed its
// status.
func TestRead_begun(t *testing.T) {
	t.Parallel()
	const half = "\n## Tasks / Subtasks\n- [x] a\n- [ ] b\n- [ ] c\n"
	for name, c := range map[string]struct {
		first, later string
		want         bool
	}{
		"half ticked":                    {"Approved\n" + half, "Draft\n", true},
		"nothing ticked":                 {"Approved\n\n## Tasks\n- [ ] a\n- [ ] b\n", "Draft\n", false},
		"nearly all ticked":              {"Approved\n\n## Tasks\n- [x] a\n- [x] b\n- [x] c\n- [x] d\n- [ ] e\n", "Draft\n", false},
		"set back":                       {"Ready\n" + half, "Draft\n", false},
		"a draft":                        {"Draft\n" + half, "Draft\n", false},
		"boxes of another section":       {"Approved\n\n## Checklist\n- [x] a\n- [ ] b\n- [ ] c\n", "Draft\n", false},
		"a later story is done":          {"Approved\n" + half, "Done\n", false},
		"a later story is in progress":   {"Approved\n" + half, "In Progress\n", false},
		"a later story may be started":   {"Approved\n" + half, "Approved\n", true},
		"the status says it is begun":    {"In Progress\n" + half, "Draft\n", true},
		"a later story is half done too": {"Approved\n" + half, "Approved\n" + half, true},
	} {
		top := t.TempDir()
		if err := os.MkdirAll(filepath.Join(top, "docs/stories"), 0o755); err != nil {
			t.Fatal(err)
		}
		for id, text := range map[string]string{"1.2": c.first, "1.10": c.later} {
			if err := os.WriteFile(filepath.Join(top, "docs/stories", id+".story.md"), []byte("# Story "+id+": a\n\n## Status\n\n"+text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		stories := Read(&sources.View{}, sources.Tree{Files: sources.Files{Top: top}})
		if st := stories.Find("1.2"); st == nil || st.Live() != c.want {
			t.Errorf("%s: %+v", name, st)
		}
	}
}
