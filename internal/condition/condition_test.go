package condition

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func days(n int) time.Time { return now.Add(-time.Duration(n) * 24 * time.Hour) }

func TestJudge(t *testing.T) {
	t.Parallel()
	const stale = 14 * 24 * time.Hour
	other := &commitlog.Commit{When: days(1), Subject: "other work"}
	for name, c := range map[string]struct {
		facts Facts
		want  Word
		by    Reason
	}{
		"all tasks done":                             {Facts{State: sources.Complete, Done: 3}, Finished, ByTasks},
		"ended by its system":                        {Facts{State: sources.Ended, Left: 2}, Finished, ByState},
		"its files say that it is over":              {Facts{State: sources.Interrupted, Done: 1, Left: 2, Said: "STATE.md says shipped"}, Finished, BySystem},
		"merged after its last change":               {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Merged: &commitlog.Commit{When: days(2)}}, Finished, ByMerge},
		"merged, and changed after that":             {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(1), Merged: &commitlog.Commit{When: days(2)}}, Between, ByTicks},
		"merged, and changed at a time without zone": {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(2).Add(9 * time.Hour), Merged: &commitlog.Commit{When: days(2)}, Slack: 14 * time.Hour}, Finished, ByMerge},
		"merged, and changed but not committed":      {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Merged: &commitlog.Commit{When: days(2)}, Changed: "a"}, InHand, ByChange},
		"nothing started":                            {Facts{State: sources.NotStarted, Left: 2, LastActive: days(1)}, NotStarted, ByNoTask},
		"nothing ticked, but a commit names it":      {Facts{State: sources.NotStarted, Left: 2, LastActive: days(2), Named: other, Carried: other}, Between, ByTicks},
		"a later commit about its plan names it":     {Facts{State: sources.NotStarted, Left: 2, LastActive: days(2), Named: other}, NotStarted, ByNoTask},
		"nothing ticked, but work on its branch":     {Facts{State: sources.NotStarted, Left: 2, LastActive: days(2), Own: true, Begun: other}, Between, ByTicks},
		"its last change was merged":                 {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Branched: true, Landed: &commitlog.Commit{When: days(2)}}, Finished, ByMerge},
		"merged in part, on its own branch":          {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Branched: true, Landed: &commitlog.Commit{When: days(2)}, Own: true}, Between, ByTicks},
		"merged in part, and named later":            {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Branched: true, Landed: &commitlog.Commit{When: days(2)}, Named: other}, Between, ByTicks},
		"merged in part, and changed since":          {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Branched: true, Landed: &commitlog.Commit{When: days(2)}, Changed: "a"}, InHand, ByChange},
		"a part of a long plan was merged":           {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Landed: &commitlog.Commit{When: days(2)}}, Between, ByTicks},
		"merged part by part":                        {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Branched: true, Partly: true, Merged: &commitlog.Commit{When: days(2)}, Landed: &commitlog.Commit{When: days(2)}}, Between, ByTicks},
		"merged, and other work since":               {Facts{State: sources.Interrupted, Done: 1, Left: 2, LastActive: days(3), Landed: &commitlog.Commit{When: days(2)}, Passed: 5}, Finished, ByMerge},
		"nearly done, and other work since":          {Facts{State: sources.Interrupted, Done: 9, Left: 1, LastActive: days(3), Later: other, Passed: 5}, Finished, ByTicks},
		"nearly done, but a merge is missing":        {Facts{State: sources.Review, Done: 9, LastActive: days(3), Later: other, Passed: 15, Awaits: true}, Waiting, ByState},
		"half done without ticks, another plan":      {Facts{State: sources.Interrupted, Done: 2, Left: 6, LastActive: days(3), Later: other, Passed: 10, Elsewhere: true, Unticked: true}, Finished, ByTicks},
		"half done with ticks, another plan":         {Facts{State: sources.Interrupted, Done: 2, Left: 6, LastActive: days(3), Later: other, Passed: 10, Elsewhere: true}, Between, ByTicks},
		"half done without ticks, no other plan":     {Facts{State: sources.Interrupted, Done: 2, Left: 6, LastActive: days(3), Later: other, Passed: 10, Unticked: true}, Between, ByTicks},
		"only planned":                               {Facts{State: sources.Interrupted, Done: 2, Left: 4, LastActive: days(1), OnlyPlanned: true}, NotStarted, ByNoTask},
		"only planned, and a file changed":           {Facts{State: sources.Interrupted, Done: 2, Left: 4, LastActive: days(1), OnlyPlanned: true, Changed: "a"}, InHand, ByChange},
		"nearly done only with earlier milestones":   {Facts{State: sources.Interrupted, Done: 9, Left: 1, Earlier: 8, LastActive: days(3), Later: other, Passed: 5}, Between, ByTicks},
		"nearly done, on its own branch":             {Facts{State: sources.Interrupted, Done: 9, Left: 1, LastActive: days(3), Later: other, Passed: 5, Own: true}, Between, ByTicks},
		"nearly done a moment ago":                   {Facts{State: sources.Interrupted, Done: 9, Left: 1, LastActive: days(1), Later: other, Passed: 5}, Between, ByTicks},
		"only a last check left, and other work":     {Facts{State: sources.Interrupted, Done: 7, Left: 1, Traceless: 1, LastActive: days(3), Later: other, Passed: 1}, Finished, ByTicks},
		"a last check and a commit left":             {Facts{State: sources.Interrupted, Done: 9, Left: 2, Traceless: 1, LastActive: days(3), Later: other, Passed: 4}, Between, ByTicks},
		"only a last check left, and nothing new":    {Facts{State: sources.Interrupted, Done: 7, Left: 1, Traceless: 1, LastActive: days(3)}, Between, ByTicks},
		"only a last check left since today":         {Facts{State: sources.Interrupted, Done: 7, Left: 1, Traceless: 1, LastActive: days(1), Later: other, Passed: 1}, Between, ByTicks},
		"only a last check left, and three commits":  {Facts{State: sources.Interrupted, Done: 7, Left: 1, Traceless: 1, LastActive: days(1), Later: other, Passed: 3}, Finished, ByTicks},
		"only checks left, and they are many":        {Facts{State: sources.Interrupted, Done: 1, Left: 2, Traceless: 2, LastActive: days(1), Later: other, Passed: 3}, Finished, ByTicks},
		"only a last check left, another plan":       {Facts{State: sources.Interrupted, Done: 3, Left: 1, Traceless: 1, LastActive: days(1), Later: other, Elsewhere: true}, Finished, ByTicks},
		"nearly done, another plan":                  {Facts{State: sources.Interrupted, Done: 9, Left: 1, LastActive: days(1), Later: other, Elsewhere: true}, Finished, ByTicks},
		"nearly done, many commits on one day":       {Facts{State: sources.Interrupted, Done: 9, Left: 1, LastActive: days(1), Later: other, Passed: 10}, Finished, ByTicks},
		"half done, another plan":                    {Facts{State: sources.Interrupted, Done: 5, Left: 5, LastActive: days(1), Later: other, Elsewhere: true}, Between, ByTicks},
		"the last task is done":                      {Facts{State: sources.Review, Done: 3, Left: 4, Overtaken: 4, LastActive: days(1)}, Finished, ByTicks},
		"the last task is done, on its branch":       {Facts{State: sources.Review, Done: 3, Left: 4, Overtaken: 4, LastActive: days(1), Own: true}, Waiting, ByState},
		"a task is left behind the last done one":    {Facts{State: sources.Interrupted, Done: 3, Left: 4, Overtaken: 3, LastActive: days(1)}, Between, ByTicks},
		"half done, and other work since":            {Facts{State: sources.Interrupted, Done: 5, Left: 5, LastActive: days(3), Later: other, Passed: 50}, Between, ByTicks},
		"nothing ticked, but a file changed":         {Facts{State: sources.NotStarted, Left: 2, LastActive: days(1), Changed: "a"}, InHand, ByChange},
		"a task in progress":                         {Facts{State: sources.Interrupted, Done: 1, Active: 1, LastActive: days(1)}, InHand, ByActive},
		"a pause":                                    {Facts{State: sources.Paused, Done: 1, Left: 1, LastActive: days(1)}, InHand, ByState},
		"a question":                                 {Facts{State: sources.Interrupted, Done: 1, Left: 1, Asked: true, LastActive: days(1)}, Waiting, ByQuestion},
		"a review":                                   {Facts{State: sources.Review, Done: 1, LastActive: days(1)}, Waiting, ByState},
		"some tasks done":                            {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(1), Later: other}, Between, ByTicks},
		"old, and other work since":                  {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(20), Later: other}, Abandoned, BySilence},
		"old, but nothing else happened":             {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(20)}, Between, ByTicks},
		"silent for a week, another plan":            {Facts{State: sources.Interrupted, Done: 1, Left: 3, LastActive: days(8), Later: other, Elsewhere: true}, Between, ByTicks},
		"silent for a week, a task in progress":      {Facts{State: sources.Interrupted, Done: 1, Active: 1, Left: 3, LastActive: days(8), Later: other, Elsewhere: true}, InHand, ByActive},
		"silent for a week":                          {Facts{State: sources.Interrupted, Done: 1, Left: 3, LastActive: days(8), Later: other}, Between, ByTicks},
		"nearly done, and its branch merged":         {Facts{State: sources.Interrupted, Done: 9, Left: 1, LastActive: days(3), Later: other, Passed: 1, Upon: 5}, Finished, ByTicks},
		"old with uncommitted changes":               {Facts{State: sources.Interrupted, Done: 1, Left: 1, LastActive: days(20), Later: other, Changed: "a"}, InHand, ByChange},
		"old with a question, other work since":      {Facts{State: sources.Waiting, Asked: true, Done: 1, Left: 1, LastActive: days(20), Later: other}, Abandoned, BySilence},
		"not started, and a question was asked":      {Facts{State: sources.NotStarted, Asked: true, Left: 1, LastActive: days(1)}, Waiting, ByQuestion},
		"an unknown state without any task done":     {Facts{State: sources.Unknown, Left: 1, LastActive: days(1)}, NotStarted, ByNoTask},
	} {
		c.facts.Now, c.facts.Stale = now, stale
		got := Judge(&c.facts)
		if got.Word != c.want || len(got.Proofs) == 0 || got.Proofs[0].Reason != c.by {
			t.Errorf("%s: got %+v, want %s by %s", name, got, c.want, c.by)
		}
	}
}
