package checkpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/plan"
)

// oid returns an object id made of one repeated digit.
func oid(digit string) object.ID { return object.ID(strings.Repeat(digit, 40)) }

// These are the plans in these tests: ours, and one that a stranger wants us to follow.
var (
	ownPlan, strangePlan = oid("a"), oid("b")
	bothPlans            = Docs{
		ownPlan:     plan.Plan{Name: "work", Tasks: []plan.Task{{ID: "one"}, {ID: "two"}, {ID: "three"}}}.Canonical(),
		strangePlan: plan.Plan{Name: "other", Tasks: []plan.Task{{ID: "two", Title: "changed", Run: "touch X"}, {ID: "four"}}}.Canonical(),
	}
)

func signed(k *Key, run RunID, seq int64, id string, e Event) string {
	text := line(seq, id, e).Text
	return strings.TrimSuffix(string(k.SignLine(run, []byte(text+"\n"))), "\n")
}

func read(run RunID, texts ...string) []Line {
	var out []Line
	for _, text := range texts {
		l := ParseLine(text)
		l.Ours = !l.Bad && testKey.Wrote(run, text)
		out = append(out, l)
	}
	return out
}

// lastOwn is the number of the last line that ownRun returns if it is called without further events.
const lastOwn = 9

// ownRun returns the lines of our own run, which is half done, followed by one line for each of the given events.
func ownRun(more ...Event) []string {
	us := &Actor{Host: "desk", PID: 100, Start: "1", Nonce: "n1", Clone: "a clone"}
	events := []Event{
		{Event: RunStarted, Name: "work", Base: &Base{"main", oid("1")}, Branch: "refs/heads/resume/work-abcd", Plan: ownPlan, PlanFile: "plan.yaml",
			Head: oid("1"), BaseTip: oid("1"), Actor: us, Text: "careful"},
		{Event: TreeReady, Worktree: "/home/me/work", Admin: "work-abcd"},
		{Event: RunClaimed, Epoch: 1, Actor: us},
		{Event: TaskStarted, Task: "one", Attempt: "n1.4", Head: oid("1")},
		{Event: TaskDone, Task: "one", Attempt: "n1.4", Commit: oid("2"), Tree: oid("3"), Patch: "p", Head: oid("2")},
		{Event: TaskStarted, Task: "two", Attempt: "n1.6", Head: oid("2")},
		{Event: Snapshot, Tree: oid("4")},
		{Event: TaskBlocked, Task: "two", Attempt: "n1.6", Text: "which?", Options: []string{"x", "y"}},
		{Event: RunDriven, Actor: us},
	}
	var out []string
	for i, e := range append(events, more...) {
		out = append(out, signed(testKey, testRun, int64(i+1), fmt.Sprintf("n1.%d", i+1), e))
	}
	return out
}

// The function "everything" returns an event with most fields set.
func everything(k Kind) Event {
	code := 7
	e := Event{
		Event: k, Attempt: "x.1", Commit: oid("c"), Tree: oid("d"), Patch: "q", Found: true, Head: oid("e"), BaseTip: oid("f"),
		Title: "title", Text: "words", Options: []string{"z"}, Cause: "why", ExitCode: &code, Until: "2031-01-01T00:00:00Z", Name: "other", Plan: strangePlan,
		PlanFile: "other.yaml", PlanHash: oid("8"), Base: &Base{"victim", oid("9")}, Branch: "refs/heads/victim", Worktree: "/etc", Admin: "main", Here: true,
		Take: "c/main", Command: "hash", Left: []int{1}, Verdict: "go", Reasons: []string{"r"}, Silent: 5, Source: "sys", SourceID: "s1",
		Differs: map[string]string{"f": "s"}, DiffersSum: "sum", ByHand: map[string]string{"h": "i"}, Saved: oid("5"), Epoch: 9, Actor: &Actor{Host: "far", PID: 1, Nonce: "x", Agent: "a", Session: "s", Clone: "another"},
		Heard: "00ff", Remote: "1122", Lease: 3, Last: 5, Seat: "there", Incarnation: "6",
	}
	if k == PlaceReady || k == placeGone {
		e.Place = &Place{N: 3, Admin: "job.3", Worktree: "/tmp/job.3"}
	}
	if strings.HasPrefix(string(k), "task.") || k == Checkpoint {
		e.Task = "two"
	}
	if k == Undone {
		e.Undoes = "n1.5"
	}
	if k.Begins() {
		e.Found = false // if several lines could start a run, the function "root" prefers one without Found, so this test is the harder one
	}
	return e
}

// flat returns all stored values of a run by path. In the path, a task is named by its id.
func flat(t *testing.T, r Run) map[string]string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(asJSON(r)), &v); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var walk func(string, any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(strings.TrimPrefix(path+"."+name, "."), inner)
			}
		case []any:
			for i, inner := range v {
				name := fmt.Sprint(i)
				if task, ok := inner.(map[string]any); ok && path == "tasks" {
					name = fmt.Sprint(task["id"])
				}
				walk(path+"."+name, inner)
			}
		default:
			out[path] = fmt.Sprint(v)
		}
	}
	walk("", v)
	return out
}

// The function "changes" lists the differences between two runs as "path=value", or "path=" if the value is gone.
func changes(t *testing.T, before, after Run) []string {
	t.Helper()
	was, now := flat(t, before), flat(t, after)
	var out []string
	for path, v := range now {
		if old, had := was[path]; !had || old != v {
			out = append(out, path+"="+v)
		}
	}
	for path := range was {
		if _, has := now[path]; !has {
			out = append(out, path+"=")
		}
	}
	return sortedCopy(out)
}

func withoutPaths(list []string, paths ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(c string) bool {
		path, _, _ := strings.Cut(c, "=")
		return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+".") })
	})
}

// The variable "counted" lists the values of a run that change with almost every line of its journal, for example the number of events.
var counted = []string{"seq", "top", "top_at", "events", "own", "last_at", "last_event"}

// The variable "carried" lists changes to a run that do not depend on the kind of the event. They come from fields that an event of any
// kind can have, for example Head and Branch.
var carried = []string{
	"head=" + string(oid("e")), "base_tip=" + string(oid("f")), "branch=refs/heads/victim", "worktree=/etc", "admin=main", "agreed=00ff",
}

const at10 = "2030-01-02T03:04:15Z" // the time of the first line after the lines of ownRun

// task puts "tasks.ID." in front of each change in a list, where ID is the id of the task. The function "flat" writes the values of a task
// in the same way.
func task(id string, list ...string) []string {
	var out []string
	for _, c := range list {
		out = append(out, "tasks."+id+"."+c)
	}
	return out
}

// The variable "unsettled" lists the changes to a task when its question and its options are removed.
var unsettled = []string{"question=", "options.0=", "options.1="}

func ends(list ...string) []string { return append(list, "last_seq=10", "ended="+at10) }

// The variable "stateLeft" lists what changes in the field Left of a run if an event records the state of the worktree.
var stateLeft = []string{"left.tree=" + string(oid("d")), "left.differs.f=s", "left.sum=sum"}

// The variable "effects" lists what an event of each kind changes in a run. The run is the one that the function ownRun describes, and the
// function "everything" makes the event. Changes that are the same for all kinds of events are not listed here, but in the variables
// "counted" and "carried".
var effects = map[Kind][]string{
	// A run starts only once, so a second starting event changes nothing.
	RunStarted: nil,
	RunAdopted: nil,
	RunTaken: slices.Concat([]string{"accepted=" + string(oid("e")), "base.name=victim", "base.commit=" + string(oid("9")), "plan=" + string(strangePlan),
		"plan_file=other.yaml", "plan_hash=" + string(oid("8")), "planned=2"}, task("two", "title=changed"), replanned),
	RunPlanned: slices.Concat([]string{"plan=" + string(strangePlan), "plan_file=other.yaml", "plan_hash=" + string(oid("8")), "planned=2"},
		task("two", "title=changed"), replanned),
	RunClaimed: {"epoch=9", "nonce=x", "owner.host=far", "owner.pid=1", "owner.nonce=x", "owner.agent=a", "owner.session=s", "owner.clone=another", "owner.start="},
	RunDriven: {"driver.host=far", "driver.pid=1", "driver.nonce=x", "driver.agent=a", "driver.session=s", "driver.clone=another", "driver.start=",
		"agent.host=far", "agent.pid=1", "agent.nonce=x", "agent.agent=a", "agent.session=s", "agent.clone=another"},
	RunPaused:     {"paused=true", "cause=words"},
	RunResumed:    slices.Concat([]string{"stops=1", "resumed=true"}, stateLeft),
	RunStopped:    slices.Concat([]string{"stops=1", "cause=why"}, stateLeft),
	RunFinished:   {"finished=true"},
	RunSuperseded: {"finished=true", "superseded=words"},
	RunMerged:     {"merged=" + string(oid("c"))},
	RunUpdating:   {"updating.how=words", "updating.head=" + string(oid("e")), "updating.base=" + string(oid("9"))},
	RunRenamed:    nil, // changes only the branch of the run; the variable "carried" lists this change
	RunActed:      nil,
	RunDiscarded:  {"discarded=true"},
	RunRestored:   nil,
	TaskAdded:     nil,
	TaskStarted: task("two", append([]string{"state=active", "attempt=x.1", "attempts=2", "from_head=" + string(oid("e")), "started=" + at10, "last_seq=10",
		"command=hash", "before.differs.f=s", "before.sum=sum", "by_hand.h=i", "onto=" + string(oid("5"))}, unsettled...)...),
	TaskDone: slices.Concat(task("two", ends(append([]string{"state=done", "attempt=x.1", "commit=" + string(oid("c")), "tree=" + string(oid("d")), "patch=q", "found=true",
		"reason=words", "command=hash"}, unsettled...)...)...), stateLeft),
	TaskFailed:   slices.Concat(task("two", ends("state=failed", "cause=why", "exit_code=7", "until=2031-01-01T00:00:00Z", "reason=words")...), stateLeft),
	TaskBlocked:  task("two", ends("cause=why", "question=words", "options.0=z", "options.1=")...),
	TaskAnswered: task("two", ends("state=pending", "answer=words")...),
	TaskSkipped:  task("two", ends("state=skipped", "reason=words")...),
	TaskReset:    task("two", append([]string{"state=pending", "attempt=", "last_seq=10"}, unsettled...)...),
	SetupStarted: {"setup.state=active", "setup.attempt=x.1"},
	SetupDone:    {"setup.state=done", "setup.attempt=x.1"},
	SetupFailed:  {"setup.state=failed", "setup.attempt=x.1", "setup.cause=why", "setup.exit_code=7"},
	TurnStarted: { // with a clone, it also says which session reports
		"turn.agent=a", "turn.session=s", "turn.started=" + at10,
		"agent.host=far", "agent.pid=1", "agent.agent=a", "agent.session=s", "agent.nonce=x", "agent.clone=another",
	},
	TurnEnded:   {"turn.agent=a", "turn.session=s", "turn.ended=" + at10, "turn.cause=why", "turn.until=2031-01-01T00:00:00Z", "turn.limit=words"},
	RunShared:   {"share.remote=1122"},
	RunUnshared: nil, // no effect, because the run was not shared before
	RunAccepted: {"share.remote=1122", "share.consented=true", "share.plan=" + string(strangePlan), "share.head=" + string(oid("c"))},
	RunLeased:   {"share.lease=3", "share.line=n1.10", "share.mine=3"},
	RunReleased: nil, // no effect, because the run had no lease to release
	RunParked:   {"share.ended.3=5"},
	RunLent:     {"lent.remote=1122", "lent.branch=other", "lent.commit=" + string(oid("c")), "lent.at=" + at10},
	RunReturned: nil, // no effect, because the run was not lent before
	Checkpoint:  stateLeft,
	TreeReady:   nil,
	PlaceReady:  {"places.0.n=3", "places.0.admin=job.3", "places.0.worktree=/tmp/job.3"},
	placeGone:   nil,
	Snapshot:    nil,
	// The event undoes the result of task one.
	Undone: slices.Concat(task("one", "state=active", "commit=", "tree=", "patch=", "last_seq=4", "ended="), []string{"left.tree="}),
}

// The variable "replanned" lists the changes when the run gets another plan: task three disappears and task four is added.
var replanned = slices.Concat(task("three", "id=", "state="), task("four", "id=four", "state=pending"))

func TestProvenance_everyEventOfOursChangesWhatItSays(t *testing.T) {
	if have := slices.Sorted(maps.Keys(effects)); !slices.Equal(asWords(have), firstColumn(format(t)["Events"])) || !slices.Equal(asWords(have), kinds(t)) {
		t.Fatalf("the events of this test are %v,\nthe documented ones %v,\nthe program's %v", have, firstColumn(format(t)["Events"]), kinds(t))
	}
	own := ownRun()
	before := Fold(testRun, read(testRun, own...), bothPlans)
	if !before.Rooted || before.Own.Lines != lastOwn || before.Foreign != nil || before.Task("two").State != Blocked || before.Task("one").State != Done {
		t.Fatalf("%s", asJSON(before))
	}
	for k, want := range effects {
		after := Fold(testRun, read(testRun, append(own, signed(testKey, testRun, lastOwn+1, "n1.10", everything(k)))...), bothPlans)
		got := withoutPaths(changes(t, before, after), counted...)
		all := sortedCopy(want)
		if !k.Begins() || k == RunTaken {
			all = sortedCopy(append(all, carried...))
		}
		if !slices.Equal(got, all) {
			t.Errorf("%s changes\n%s\nwant\n%s", k, strings.Join(got, "\n"), strings.Join(all, "\n"))
		}
	}
}

func asWords(in []Kind) []string {
	var out []string
	for _, k := range in {
		out = append(out, string(k))
	}
	return out
}

// strangers contains keys of other people: one with another secret, and one with our secret but for another clone.
var strangers = map[string]*Key{
	"another key":   {secret: []byte("another secret of thirty-two byte"), clone: testKey.clone},
	"another clone": {secret: testKey.secret, clone: "another"},
}

// disguises returns lines that look like ours but are not, each with a name.
func disguises(e Event, seq int64, id string) map[string]string {
	plain := line(seq, id, e).Text
	good := signed(testKey, testRun, seq, id, e)
	body, mac := good[:len(good)-macLen], good[len(good)-macLen+len(macOpen):len(good)-len(macClose)]
	flipped := func(s string, i int) string {
		c := byte('0')
		if s[i] == '0' {
			c = '1'
		}
		return s[:i] + string(c) + s[i+1:]
	}
	out := map[string]string{
		"no mac":                     plain,
		"an empty mac":               body + macOpen + macClose,
		"the first digit changed":    body + macOpen + flipped(mac, 0) + macClose,
		"the last digit changed":     body + macOpen + flipped(mac, len(mac)-1) + macClose,
		"half of the mac":            body + macOpen + mac[:len(mac)/2] + macClose,
		"upper-case digits":          body + macOpen + strings.ToUpper(mac) + macClose,
		"the mac twice":              body + macOpen + mac + `"` + macOpen + mac + macClose,
		"a false mac before it":      body + macOpen + flipped(mac, 0) + `"` + macOpen + mac + macClose,
		"the mac first":              `{"mac":"` + mac + `",` + body[1:] + "}",
		"the mac first and last":     `{"mac":"` + mac + `",` + good[1:],
		"a member behind it":         good[:len(good)-1] + `,"seq":"` + SeqText(seq) + `"}`,
		"a blank within":             good[:len(good)-1] + " }",
		"a blank before its value":   body + `,"mac": "` + mac + macClose,
		"a blank before the line":    " " + good,
		"an object before it":        `{"a":` + good + "}",
		"copied from another run":    signed(testKey, "work-efgh", seq, id, e),
		"signed as something else":   body + macOpen + testKey.Sign("git-resume cache 1", string(testRun), testKey.clone, body) + macClose,
		"the mac of another line":    body + macOpen + signedMac(seq+1, id, e) + macClose,
		"a later number, mac kept":   strings.Replace(good, SeqText(seq), SeqText(seq+1), 1),
		"a later time, mac kept":     strings.Replace(good, `"at":"2030`, `"at":"2031`, 1),
		"another id, mac kept":       strings.Replace(good, `"id":"`, `"id":"y`, 1),
		"another kind, mac kept":     strings.Replace(good, `"event":"`+string(e.Event)+`"`, `"event":"run.paused"`, 1),
		"a newer version, mac kept":  strings.Replace(good, `"v":1`, `"v":2`, 1),
		"a field added, mac kept":    strings.Replace(good, `,"v":1`, `,"branch":"refs/heads/main","v":1`, 1),
		"a number changed, mac kept": strings.Replace(good, `"epoch":9`, `"epoch":8`, 1),
		"a path changed, mac kept":   strings.Replace(good, `/etc`, `/etx`, 1),
		"a ref changed, mac kept":    strings.Replace(good, `refs/heads/victim`, `refs/heads/victin`, 1),
		"an id changed, mac kept":    strings.Replace(good, string(oid("c")), string(oid("d")), 1),
	}
	for name, k := range strangers {
		out[name] = signed(k, testRun, seq, id, e)
	}
	for name, text := range out {
		if text == good { // this kind of event does not have the changed field
			delete(out, name)
		}
	}
	return out
}

func signedMac(seq int64, id string, e Event) string {
	return read(testRun, signed(testKey, testRun, seq, id, e))[0].Event.Mac
}

// For each state, "states" lists the events that bring our run into this state.
var states = map[string][]Event{
	"open":       nil,
	"paused":     {{Event: RunPaused, Text: "lunch"}},
	"failed":     {{Event: TaskFailed, Task: "two", Cause: "exit"}, {Event: RunStopped, Cause: "exit"}},
	"finished":   {{Event: RunFinished}},
	"discarded":  {{Event: RunDiscarded, Tree: oid("5")}},
	"superseded": {{Event: RunSuperseded, Text: "work-efgh"}},
	"merged":     {{Event: RunFinished}, {Event: RunMerged, Commit: oid("6"), BaseTip: oid("1")}},
	"taken back": {{Event: RunFinished}, {Event: Undone, Undoes: "n1.10"}},
}

// whatOthersMove lists the values of our run that other people's lines may change, for example the number of lines. Another test limits how
// much they may change "seq".
var whatOthersMove = []string{"heard", "others", "events", "unreadable", "top", "top_at", "seq"}

// place is the number and the id of a line that a stranger adds. The line can come before, between or after our lines, or
// copy the number or id of one of them.
type place struct {
	seq int64
	id  string
}

func TestProvenance_noLineOfOthersChangesARunOfOurs(t *testing.T) {
	n, tried, decoded := 0, 0, 0
	met := map[string]bool{}
	for i, state := range slices.Sorted(maps.Keys(states)) {
		own := ownRun(states[state]...)
		last := int64(len(own))
		before := Fold(testRun, read(testRun, own...), bothPlans)
		for _, at := range []place{{1, "a.1"}, {1, "n1.1"}, {4, "n1.4"}, {5, "z.1"}, {last, "x.9"}, {last + 1, "x.1"}, {last + 500, "n1.10"}} {
			for _, k := range slices.Sorted(maps.Keys(effects)) {
				all := disguises(everything(k), at.seq, at.id)
				for _, name := range slices.Sorted(maps.Keys(all)) {
					if n++; !gittest.Proving() && n%13 != i%13 { // short test runs try only a sample
						continue
					}
					tried++
					met[string(k)], met[name] = true, true
					l := read(testRun, all[name])[0]
					if !l.Bad {
						decoded++
					}
					after := Fold(testRun, append(read(testRun, own...), l), bothPlans)
					if wrong := changedByOthers(t, l, before, after); wrong != "" {
						t.Errorf("%s, %s, number %d as %s, a run that is %s: %s\n%s", k, name, at.seq, at.id, state, wrong, l.Text)
					}
				}
			}
		}
	}
	if decoded < tried*8/10 || tried < 2000 || len(met) < len(effects)+len(disguises(everything(RunTaken), 1, "a.1")) {
		t.Errorf("%d of %d lines could be read, %d events and disguises were met", decoded, tried, len(met))
	}
}

// changedByOthers compares a run before and after a journal line of somebody else. It describes changes that such a line must not make. It
// returns "" if there are none.
func changedByOthers(t *testing.T, l Line, before, after Run) string {
	t.Helper()
	got := withoutPaths(changes(t, before, after), whatOthersMove...)
	switch {
	case l.Ours:
		return "it is taken for ours"
	case len(got) > 0:
		return "it changes " + strings.Join(got, ", ")
	case after.Own != before.Own || after.Events+after.Unreadable != before.Events+1 || after.Foreign == nil && !l.Bad:
		return fmt.Sprintf("own %+v, %d events, %d unreadable, heard %v", after.Own, after.Events, after.Unreadable, after.Foreign)
	}
	return ""
}

func TestProvenance_blanksAtTheEndAreNoChange(t *testing.T) {
	good := signed(testKey, testRun, 3, "n1.3", everything(TaskDone))
	for _, blanks := range []string{"", " ", "\t", "\r", " \t\r "} {
		if !read(testRun, good+blanks)[0].Ours {
			t.Errorf("with %q it is not ours any more", blanks)
		}
	}
}

func TestProvenance_everyByteCounts(t *testing.T) {
	good := signed(testKey, testRun, 3, "n1.3", everything(TaskDone))
	for i := range good {
		for _, to := range []byte{good[i] ^ 1, good[i] ^ 0x20} {
			if text := good[:i] + string(to) + good[i+1:]; testKey.Wrote(testRun, text) && strings.TrimRight(text, " \t\r") != good {
				t.Errorf("byte %d is not signed: %s", i, text)
			}
		}
	}
}

// A run of somebody else becomes ours only if we add a line that can start a run. The other person's lines do not become ours.
func TestProvenance_ofARunFromElsewhereOnlyATakeoverMakesItOurs(t *testing.T) {
	var theirs []string
	for _, text := range ownRun() {
		e := ParseLine(text).Event
		e.Mac = ""
		seq, _ := e.number()
		theirs = append(theirs, signed(strangers["another key"], testRun, seq, e.ID, e))
	}
	for k := range effects {
		ours := signed(testKey, testRun, lastOwn+1, "n1.10", everything(k))
		r := Fold(testRun, read(testRun, append(theirs, ours)...), bothPlans)
		if r.Rooted != k.Begins() {
			t.Errorf("%s of ours: rooted %v", k, r.Rooted)
		}
		if r.Rooted && (r.Epoch != 0 || r.Owner != nil || r.Task("one") != nil && r.Task("one").State == Done || r.Foreign == nil) {
			t.Errorf("%s of ours made their lines ours: %s", k, asJSON(r))
		}
		for name, text := range disguises(everything(k), lastOwn+1, "n1.10") {
			if r := Fold(testRun, read(testRun, append(theirs, text)...), bothPlans); r.Rooted || r.Own.Lines != 0 {
				t.Errorf("%s, %s: rooted %v, %d lines of ours", k, name, r.Rooted, r.Own.Lines)
			}
		}
	}
}

// When we choose the number of our next line, we take the number of another person's line into account only if it is near our own numbers.
// A number has at most ten digits, so others could otherwise use up all numbers.
func TestProvenance_numbersOfOthers(t *testing.T) {
	own := ownRun()
	for seq, want := range map[int64]int64{
		1: lastOwn, lastOwn: lastOwn, lastOwn + 1: lastOwn + 1, lastOwn + 1000: lastOwn + 1000,
		lastOwn + maxJump: lastOwn + maxJump, lastOwn + maxJump + 1: lastOwn, maxSeq: lastOwn, maxSeq + 1: lastOwn, 9_999_999_999: lastOwn,
	} {
		text := signed(strangers["another key"], testRun, seq, "x.1", Event{Event: "hello"})
		if got := Fold(testRun, read(testRun, append(own, text)...), bothPlans).Seq; got != want {
			t.Errorf("after number %d of others, our next number follows %d, want %d", seq, got, want)
		}
	}
	// Each number is compared with our own highest number, not with the number before it. Otherwise others could reach any number in small
	// steps.
	for i := range int64(20) {
		own = append(own, signed(strangers["another key"], testRun, lastOwn+(i+1)*(maxJump-1), "x.1", Event{Event: "hello"}))
	}
	if got := Fold(testRun, read(testRun, own...), bothPlans).Seq; got > lastOwn+maxJump {
		t.Errorf("a ladder of numbers leads to %d", got)
	}
}

func TestProvenance_whatOthersSayIsHeard(t *testing.T) {
	own := ownRun()
	silent := []Kind{RunStarted, RunAdopted, RunUpdating, RunRenamed, RunStopped, RunActed, RunRestored, TaskAdded, TaskReset, SetupStarted, SetupDone, SetupFailed, Checkpoint, TreeReady, Snapshot, Undone, TurnStarted, TurnEnded,
		RunShared, RunUnshared, RunAccepted, RunLeased, RunReleased, RunParked, RunLent, RunReturned, PlaceReady, placeGone}
	for k := range effects {
		e := everything(k)
		e.At = atWork.Add(time.Hour)
		r := Fold(testRun, read(testRun, append(own, signed(strangers["another key"], testRun, lastOwn+1, "x.1", e))...), bothPlans)
		if r.Others.Lines != 1 || !r.Foreign.Last.Equal(e.At) || r.Foreign.By.Host != "far" {
			t.Errorf("%s: %+v", k, r.Foreign)
		}
		words := r.Unheard()
		if slices.Contains(silent, k) != (len(words) == 0) || len(words) > 0 && (words[0].Event != k || words[0].Text != "words") {
			t.Errorf("%s is heard as %+v", k, words)
		}
		// A person has seen the statement and continues the run. Only our own line can record that.
		r = Fold(testRun, read(testRun, append(own, signed(strangers["another key"], testRun, lastOwn+1, "x.1", e),
			signed(testKey, testRun, lastOwn+2, "n1.11", Event{Event: RunResumed, Heard: r.HeardSum()}))...), bothPlans)
		if len(r.Unheard()) > 0 {
			t.Errorf("%s is asked about again: %+v", k, r.Unheard())
		}
	}
}

// A checksum alone is not enough: an attacker who adds a few hundred lines can choose them so that the checksum stays the same. Lines are
// never removed, so each added line changes their number, and this number is compared too.
func TestProvenance_moreLinesAreHeardWhateverTheirSum(t *testing.T) {
	words := &ForeignLines{Words: []Word{{Event: RunPaused}}}
	before := Run{Others: LineSet{Lines: 1, Seq: 5, Sum: "00ff"}, Foreign: words}
	after := Run{Others: LineSet{Lines: 130, Seq: 5, Sum: "00ff"}, Foreign: words, Agreed: before.HeardSum()}
	if before.Agreed = before.HeardSum(); len(before.Unheard()) != 0 || len(after.Unheard()) != 1 {
		t.Errorf("the same lines: %v, more of them: %v", before.Unheard(), after.Unheard())
	}
	if e := (Event{Heard: before.HeardSum()}); e.sound() != nil {
		t.Errorf("%q cannot be in a line", e.Heard)
	}
}
