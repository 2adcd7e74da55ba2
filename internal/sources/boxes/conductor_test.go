package boxes

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	sell     = "conductor/tracks/sell_20261105/plan.md"
	trackMD  = "conductor/tracks.md"
	metadata = "conductor/tracks/sell_20261105/metadata.json"
	setUp    = "conductor/setup_state.json"
	index    = "conductor/index.md"
)

// The function "at" commits everything on 13 November 2026 at the given time.
func at(hour, subject string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		date := "2026-11-13T" + hour + ":00Z"
		r.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

// The function "written" puts the id of the newest commit after the text of the first task, as Conductor does.
func written(r *gittest.Repo) {
	replace(sell, "1a2b3c4", r.Git("rev-parse", "--short=7", "HEAD"))(r)
}

func addNote(text string) sourcetest.Mutation {
	return func(r *gittest.Repo) { r.Git("notes", "add", "-m", text) }
}

func conductorCases() []sourcetest.Case {
	const in = "conductor.txtar"
	return []sourcetest.Case{
		{IDs: "R-CO-1", In: in, Want: `[{"source":"conductor","id":"sell_20261105","state":"interrupted","point":{"title":"Sub-task: store the answer","reason":"the first checkbox that is in progress"},"needs":[{"path":"conductor/tracks/sell_20261105/spec.md"},{"path":"conductor/workflow.md"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("init", "-q"); move(r, "conductor/tracks", "conductor/archive") }, Then: `[]`},
		{IDs: "R-CO-1", In: in, Prepare: both(add(index, "# Index\n\n- [Tracks Registry](./tracks.md)\n- [Tracks Directory](./work/)\n"), func(r *gittest.Repo) { move(r, "conductor/tracks", "conductor/work") }),
			Want:   `[{"id":"sell_20261105","root":"conductor/work/sell_20261105"}]`,
			Mutate: replace(index, "./work/", "./archive/"), Then: `[]`},
		{IDs: "R-CO-1", In: in, Prepare: replace(sell, "    - [ ] Sub-task: store the answer\n", ""), Want: `[{"point":{"title":"Task: Choose a currency"}}]`,
			Mutate: replace(sell, "[x] Sub-task: ask the bank", "[~] Sub-task: ask the bank"), Then: `[{"point":{"title":"Sub-task: ask the bank"}}]`},
		{IDs: "R-CO-2", In: in, Prepare: both(add("conductor/tracks/cards_20261101/plan.md", "## Phase 1\n\n- [x] a\n- [ ] b\n- [ ] c\n")),
			Want:   `[{"id":"cards_20261101","state":"ended","headline":"closed with 2 open boxes","over":"tracks.md says that the track is done"},{"id":"sell_20261105"}]`,
			Mutate: replace(trackMD, "- [x] **Track: Store", "- [ ] **Track: Store"), Then: `[{"state":"interrupted","over":null},{}]`},
		{IDs: "R-CO-2", In: in, Prepare: add(sell, "## Phase 1\n\n- [x] a\n- [x] b\n"), Want: `[{"state":"review","headline":"all 2 tasks are ticked; the track is open in tracks.md and waits for a review"}]`,
			Mutate: replace(trackMD, "[~]", "[x]"), Then: `[{"state":"complete"}]`},
		{IDs: "R-CO-2", In: in, Prepare: add(trackMD, "## [x] Track: Sell cards\n- **Plan:** `conductor/tracks/sell_20261105/plan.md`\n"), Want: `[{"state":"ended","over":"tracks.md says that the track is done"}]`,
			Mutate: replace(trackMD, "[x]", "[~]"), Then: `[{"state":"interrupted","over":null}]`},
		{IDs: "R-CO-2", In: in, Prepare: add("conductor/tracks/a_first/plan.md", "- [x] a\n- [ ] b\n"), Want: `[{"id":"sell_20261105"},{"id":"a_first","state":"interrupted"}]`,
			Mutate: add(trackMD, "| Status | Track ID | Title |\n| --- | --- | --- |\n| [~] | a_first | First |\n| [~] | sell_20261105 | Sell |\n"), Then: `[{"id":"a_first"},{"id":"sell_20261105"}]`},
		{IDs: "R-CO-3", In: in, Prepare: both(at("08:00", "feat: amounts"), written, at("09:00", "conductor(plan): Mark task complete")),
			Want:   `[{"tasks":[{"title":"Sub-task: draw the page","commit":"*"},"…"],"doubts":null}]`,
			Mutate: both(replace(sell, " [checkpoint: 1234567]", ""), add("x", "x"), func(r *gittest.Repo) { replaceCommit(r) }, at("10:00", "change")), Then: `[{"doubts":["…",{"code":"done-no-evidence","text":"none of the commits that the plan names is in the recent history; they may have been squashed"}]}]`},
		{IDs: "R-CO-3", In: in, Prepare: both(replace(sell, "Task: Conductor - User Manual Verification 'Phase 1: Page' (Protocol in workflow.md)", "Task: Wrap the parcel 9a8b7c6"), at("08:00", "feat(page): wrap the parcel (#3)")),
			Want:   `[{"doubts":null,"tasks":[{},{"title":"Task: Wrap the parcel","commit":"*","evidence":"` + sell + `:7; commit ` + wrapped + ` names the task"},"…"]}]`,
			Mutate: replace(sell, "Wrap the parcel", "Wrap the presents"), Then: `[{"doubts":[{"code":"done-no-evidence"}],"tasks":[{},{"title":"Task: Wrap the presents"},"…"]}]`},
		// a commit about another version is another commit
		{IDs: "R-CO-3", In: in, Prepare: both(replace(sell, "Task: Conductor - User Manual Verification 'Phase 1: Page' (Protocol in workflow.md)", "Task: Prepare release 1.2 9a8b7c6"), at("08:00", "chore: prepare release 1.2.3")),
			Want:   `[{"doubts":[{"code":"done-no-evidence"}],"tasks":[{},{"title":"Task: Prepare release 1.2"},"…"]}]`,
			Mutate: replace(sell, "release 1.2 ", "release 1.2.3 "), Then: `[{"doubts":null,"tasks":[{},{"title":"Task: Prepare release 1.2.3","commit":"*"},"…"]}]`},
		{IDs: "R-CO-3", In: in, Prepare: add(sell, "- [x] Task: a 1a2b3c4\n    - [ ] one\n    - [ ] two\n"), Want: `[{"state":"review","tasks":[{"state":"done"},{"state":"done"}]}]`,
			Mutate: replace(sell, " 1a2b3c4", ""), Then: `[{"state":"not started","point":{"title":"one"}}]`},
		{IDs: "R-CO-3", In: in, Prepare: add(sell, "## Phase 1 [checkpoint: 1234567]\n\n- [x] Task: a\n    - [ ] one\n\n## Phase 2\n\n- [ ] Task: b\n"),
			Want:   `[{"tasks":[{"state":"done"},{"state":"pending"}],"doubts":[{"code":"status-disagrees","text":"'Task: a' is ticked, but boxes below it are open; these boxes count as done"}]}]`,
			Mutate: replace(sell, " [checkpoint: 1234567]", ""), Then: `[{"tasks":[{"state":"pending"},{}],"doubts":[{"text":"'Task: a' is ticked, but boxes below it are not; it counts as open"}]}]`},
		{IDs: "R-CO-4", In: in, Prepare: both(at("08:00", "conductor(plan): begin"), at("09:00", "feat: bank"), addNote("Task: Pay with a card\n\nSummary: the answer is stored.")),
			Want:   `[{"point":{"title":"Task: Choose a currency"},"doubts":["…",{"code":"done-not-marked"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("notes", "remove") }, Then: `[{"point":{"title":"Sub-task: store the answer"}}]`},
		{IDs: "R-CO-4", In: in, Prepare: both(at("08:00", "conductor(plan): begin"), at("09:00", "feat: Pay with a card.")),
			Want:   `[{"point":{"title":"Task: Choose a currency"},"doubts":["…",{"code":"done-not-marked"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("commit", "-q", "--amend", "--allow-empty", "-m", "feat: pay") }, Then: `[{"point":{"title":"Sub-task: store the answer"}}]`},
		{IDs: "R-CO-5", In: in, Prepare: both(replace(sell, "[ ] Task: Choose", "[x] Task: Choose"), replace(sell, "[~] Task: Pay", "[x] Task: Pay"), replace(sell, "[ ] Sub-task: store", "[x] Sub-task: store")),
			Want:   `[{"state":"waiting","point":{"title":"Task: Conductor - User Manual Verification 'Phase 2: Payment' (Protocol in workflow.md)","reason":"a person must verify the phase 'Phase 2: Payment' first"},"headline":"5 of 7 tasks are ticked; a person has to verify the phase 'Phase 2: Payment'"}]`,
			Mutate: replace(sell, "## Phase 2: Payment\n", "## Phase 2: Payment [checkpoint: 7654321]\n"), Then: `[{"state":"interrupted"}]`},
		{IDs: "R-CO-5", In: in, Prepare: add(sell, "## Phase 1: a [checkpoint: 1234567]\n\n- [x] one\n\n## Phase 2: b\n\n- [x] two\n\n## Phase 3: c\n\n- [ ] three\n"),
			Want: `[{"state":"waiting","point":{"title":"three"}}]`, Mutate: replace(sell, "## Phase 1: a [checkpoint: 1234567]", "## Phase 1: a"), Then: `[{"state":"interrupted","point":{"title":"three"}}]`},
		{IDs: "R-CO-6", In: in, Want: `[{"state":"interrupted","doubts":[{"code":"done-no-evidence"}]}]`,
			Mutate: replace(metadata, `"new"`, `"cancelled"`), Then: `[{"state":"interrupted","doubts":["…",{"code":"status-word","text":"metadata.json says that the track is cancelled"}]}]`},
		{IDs: "R-CO-6", In: in, Prepare: both(remove("conductor/tracks"), remove(trackMD), add(setUp, `{"last_successful_step": "2.1_product_guide"}`)),
			Want:   `[{"source":"conductor","id":"setup","state":"interrupted","command":"/conductor:setup","headline":"the setup of Conductor stopped after the step 2.1_product_guide"}]`,
			Mutate: replace(setUp, "2.1_product_guide", "3.3_initial_track_generated"), Then: `[]`},
		{IDs: "R-CO-7", In: in, Prepare: add(sell, "## Phase 1\n\n- [x] a 1a2b3c4\n- [~] Task: b 7 [1a2b3c5]\n"), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + sell + `","now":"## Phase 1\n\n- [x] a 1a2b3c4\n- [x] Task: b 7 [1a2b3c5]\n"}]}`,
			Mutate: replace(sell, "- [~] Task: b", "- [ ] c\n- [~] Task: b"), Then: `{"changes":[{"now":"## Phase 1\n\n- [x] a 1a2b3c4\n- [ ] c\n- [x] Task: b 7 [1a2b3c5]\n"}]}`},
		{IDs: "R-CO-7", In: in, Want: `[{"command":"/conductor:implement 'Sell cards'"}]`, Mutate: replace(trackMD, "Track: Sell cards", "Track: Sell $(cards)"), Then: `[{"command":"/conductor:implement 'Sell $(cards)'"}]`},
		{IDs: "R-X-3-conductor", In: in, Prepare: replace(trackMD, "- [x] **Track: Store", "- [ ] **Track: Store"),
			Want:   `[{"doubts":["…",{"code":"own-check-differs","text":"'/conductor:implement' without the name of a track would take 'Store cards': it takes the first track in tracks.md that is not ticked"}]}]`,
			Mutate: replace(trackMD, "- [ ] **Track: Store", "- [x] **Track: Store"), Then: `[{"doubts":[{"code":"done-no-evidence"}]}]`},
		{IDs: "R-X-4-conductor", In: in, Prepare: replace(trackMD, "./tracks/sell_20261105/", `C:\shop\conductor\tracks\sell_20261105\`), Want: `[{"command":"/conductor:implement 'Sell cards'"}]`,
			Mutate: replace(trackMD, "sell_20261105", "other"), Then: `[{"command":"/conductor:implement sell_20261105"}]`},
		{IDs: "R-X-4-conductor", In: in, Prepare: add(index, "[Tracks Directory](../../../etc)\n[Tracks Registry](/etc/passwd)\n"), Want: `[{"id":"sell_20261105"}]`,
			Mutate: add(index, "[Tracks Directory](./gone/)\n"), Then: `[]`},
	}
}

// wrapped is the id of a commit in a test case. It never changes, because the author and the date are fixed.
const wrapped = "1de0b32"

func move(r *gittest.Repo, from, to string) {
	r.Git("-c", "core.hooksPath=", "add", "-A")
	r.Git("mv", from, to)
}

// replaceCommit replaces the commit id after the first task by one that does not exist.
func replaceCommit(r *gittest.Repo) {
	text := r.Read(sell)
	_, rest, _ := strings.Cut(text, "Show the amounts ")
	replace(sell, rest[:7], "1a2b3c4")(r)
}

// Skipping a task ticks its box, and leaves every other byte of the file unchanged.
func TestAct_ticksOneBoxOfATrack(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/conductor.txtar")
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	changes, err := New().Act(t.Context(), v, &found[0], sources.ActionRequest{Name: sources.SkipUnit})
	want := strings.Replace(r.Read(sell), "[ ] Sub-task: store", "[x] Sub-task: store", 1)
	if err != nil || len(changes) != 1 || string(changes[0].Now) != want {
		t.Errorf("%v, %v", changes, err)
	}
}

// A link that leads out of the worktree must not be followed, and a file that cannot be read must not hide the track.
func TestFind_conductorIsNotLedAstray(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil sourcetest.Mutation
		state sources.State
		code  string
	}{
		"the registry is a link":  {sourcetest.LeadOut(trackMD), sources.Interrupted, sources.DoubtRefused},
		"the registry is damaged": {add(trackMD, "- [x] **Track: Sell**\x00\n[a](./tracks/sell_20261105/)\n"), sources.Interrupted, sources.DoubtDamaged},
		"the plan is a link":      {sourcetest.LeadOut(sell), sources.Corrupt, sources.DoubtRefused},
		"the plan is a merge":     {add(sell, "<<<<<<< a\n- [x] 1. a\n=======\n- [ ] 1. a\n>>>>>>> b\n"), sources.Corrupt, sources.DoubtDamaged},
		"the metadata are a link": {sourcetest.LeadOut(metadata), sources.Interrupted, sources.DoubtNoEvidence},
		"the index is a link":     {both(add(index, "x"), sourcetest.LeadOut(index)), sources.Interrupted, sources.DoubtNoEvidence},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/conductor.txtar")
		c.spoil(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != c.state || !slices.ContainsFunc(found[0].Doubts, func(d sources.Doubt) bool { return d.Code == c.code }) {
			t.Errorf("%s: %d found: %.600v", name, len(found), found)
		}
	}
}

func FuzzTracks(f *testing.F) {
	f.Add("- [x] **Track: a**\n*Link: [./tracks/a/](./tracks/a/)*\n## [ ] Track: b\n[x](tracks\\b)\n", "[Tracks Directory](./x)", "- [x] a 1234567")
	f.Add("| Status | Track ID |\n|---|---|\n| [~] | a |\n", "[Tracks Registry](../x)", "## Phase 1 [checkpoint: 1]\n- [~] a\n  - [ ] b [1234567]")
	f.Fuzz(func(t *testing.T, text, index, plan string) {
		for _, e := range parseTracks(text) {
			if e.id == "" {
				t.Errorf("a track of %q has no folder", text)
			}
		}
		g := &registry{file: "conductor/tracks.md", folder: "conductor/tracks"}
		g.moved(index)
		for _, at := range []string{g.file, g.folder} {
			if path.IsAbs(at) || at == ".." || strings.HasPrefix(at, "../") {
				t.Errorf("%q leads out of the worktree", at)
			}
		}
		l := &list{kind: kindOf(sources.Conductor), path: "x.md", data: []byte(plan), track: &trackPlan{registry: g}}
		boxes, err := l.parse(l.data)
		if err != nil {
			return
		}
		l.boxes, l.ok = boxes, true
		l.track.read(l)
		l.judge(&sources.Found{Tasks: l.tasks()})
	})
}
