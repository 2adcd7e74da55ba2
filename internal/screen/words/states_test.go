package words

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
)

var row = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| (?:`([a-z-]+)`)? ?\\|")

func TestDetail_isAsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{"unreadable ": true}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		documented[m[1]+" "+m[2]] = true
	}
	can := map[string]bool{"unreadable ": true}
	for _, m := range slices.Concat(ownRuns(), adopted(), others()) {
		can[string(m.State)+" "+Detail(&m)] = true
	}
	for _, pair := range slices.Sorted(maps.Keys(can)) {
		if !documented[pair] {
			t.Errorf("'%s' is possible and not documented", pair)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(documented)) {
		if !can[pair] {
			t.Errorf("'%s' is documented and not possible", pair)
		}
	}
}

var (
	now   = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	lives = []checkpoint.Life{{}, {OwnerLock: true}, {Driver: proc.Alive}, {Driver: proc.Dead}}
)

// ownRuns returns runs of this clone and of other clones, in many combinations of the fields that decide their state.
func ownRuns() (out []candidate.Summary) {
	done, next := checkpoint.Task{ID: "a", State: checkpoint.Done, LastSeq: 2}, checkpoint.Task{ID: "b", State: checkpoint.Pending}
	for _, task := range []checkpoint.Task{
		next, {ID: "b", State: checkpoint.Active, LastSeq: 3}, {ID: "b", State: checkpoint.Failed, LastSeq: 3}, {ID: "b", State: checkpoint.Failed, Until: "2026-11-16T14:00:00Z", LastSeq: 3},
		{ID: "b", State: checkpoint.Blocked, Question: "Which?", LastSeq: 3}, done,
	} {
		for _, begun := range []bool{false, true} {
			for _, life := range lives {
				for bits := range 1 << 7 {
					on := func(bit int) bool { return bits&(1<<bit) != 0 }
					r := checkpoint.Run{ID: "job-abcd", Branch: "refs/heads/x", Base: checkpoint.Base{Name: "main"}, Driver: &checkpoint.Actor{PID: 1}, LastAt: now, Tasks: []checkpoint.Task{next, task}}
					if begun {
						r.Tasks[0] = done
					}
					r.Finished, r.Discarded, r.Paused, r.Rebuilt = on(0), on(1), on(2), on(3)
					if r.Rebuilt && r.Closed() {
						continue // a run that was rebuilt from commits is never closed
					}
					if on(4) || r.Rebuilt {
						r.Lack = checkpoint.LackRoot
					}
					if on(5) && r.Finished {
						r.Superseded = "job-efgh"
					}
					if on(6) {
						r.Others.Lines, r.Foreign = 1, &checkpoint.ForeignLines{Words: []checkpoint.Word{{Event: checkpoint.RunPaused}}}
					}
					state := checkpoint.StateOf(&r, life, now, time.Hour)
					for _, merge := range []candidate.MergeState{"", candidate.Merged, candidate.NotMerged} {
						if merge == "" || r.Closed() && r.Superseded == "" {
							out = append(out, candidate.Summary{Run: r, State: state, Life: life, Merge: merge}, candidate.Summary{Run: r, State: state, Life: life, Merge: merge, Limited: true})
						}
					}
				}
			}
		}
	}
	return out
}

// adopted returns runs of another system whose state files are missing.
func adopted() (out []candidate.Summary) {
	for _, paused := range []bool{false, true} {
		for _, hidden := range []bool{false, true} {
			r := checkpoint.Run{ID: "job-abcd", Source: "boxes", SourceID: "x", Paused: paused, LastAt: now}
			out = append(out, candidate.Summary{Run: r, State: checkpoint.StateOf(&r, checkpoint.Life{}, now, time.Hour), Hidden: hidden})
		}
	}
	return out
}

// others returns pieces of other systems' work.
func others() (out []candidate.Summary) {
	for state, ours := range map[sources.State]checkpoint.State{
		sources.NotStarted: checkpoint.Idle, sources.Unknown: checkpoint.Idle, sources.Interrupted: checkpoint.Interrupted, sources.Paused: checkpoint.Paused,
		sources.Waiting: checkpoint.Waiting, sources.Failed: checkpoint.FailedRun, sources.Complete: checkpoint.FinishedRun, sources.Ended: checkpoint.Discarded,
	} {
		f := &sources.Found{State: state}
		out = append(out, candidate.Summary{Found: f, State: ours})
		if state.Open() {
			out = append(out, candidate.Summary{Found: f, State: checkpoint.Running, Busy: "a file changed"}, candidate.Summary{Found: f, State: checkpoint.Running, Busy: "handed over", Handed: true},
				candidate.Summary{Found: f, State: checkpoint.Running})
		}
	}
	return out
}
