package longrun

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// The kinds of interruption, by the system's own names.
const (
	activeAgent  = "active_agent"
	partialPlan  = "partial_plan"
	betweenPlans = "between_plans"
	pendingWord  = "pending_clarification"
)

// sign is one thing that shows an interruption; the first one names it, the others are told too.
type sign struct {
	kind   string
	unit   *unit
	fields map[string]any
}

// standing is what the signs and the plans' own records come to.
type standing struct {
	run    *run
	signs  []sign
	point  *unit
	states map[*unit]checkpoint.TaskState
	agent  sources.Marked
	marked *unit // the plan of the marked agent
}

// standing weighs all that was read.
func (r *run) standing() *standing {
	s := &standing{run: r, states: map[*unit]checkpoint.TaskState{}}
	for _, u := range r.units {
		s.states[u] = u.state()
	}
	s.checkMarker()
	s.collect()
	s.choose()
	s.block()
	return s
}

func (r *run) found() sources.Found {
	s := r.standing()
	s.compare()
	f := sources.Found{
		Source: name, Home: r.tree.WorkTree, Root: r.dir, Files: r.files, Same: []string{"spec:" + path.Dir(r.dir)},
		Status: r.state.status, State: s.state(), Active: r.active, From: r.activeBy, Start: r.start, Rebuilt: r.rebuilt,
		Protocol: s.protocol(), Command: quote.Command("/long-run-implement %s", specName(r)),
	}
	f.Rebuilt = f.Rebuilt || f.State == sources.Review // its own word against its plans' records: a person says which counts
	f.Cause = s.cause()
	f.Tasks = s.tasks()
	s.where(&f)
	s.questions(&f)
	s.needs(&f)
	f.Headline, f.Context = s.headline(&f), s.context()
	f.Stands, f.Steps = s.stands(), s.steps()
	f.Alternatives = s.alternatives(&f)
	if s.agent.Known && !s.agent.Stale {
		f.Session = s.agent.ID
	} else if a, ok := r.agents.Interrupted(); ok && !s.closed(a.Unit) {
		f.Session = a.ID
	}
	f.Doubts = r.doubts
	return f
}

func specName(r *run) string {
	if dir := path.Dir(r.dir); dir != "." {
		return path.Base(dir)
	}
	return r.view.Name()
}

// finished: the plan's own summary says so.
func (u *unit) finished() bool { return u != nil && u.sum.done() }

// state is the plan's state by its own records: the summary, then the checkpoint.
func (u *unit) state() checkpoint.TaskState {
	if u.sum != nil {
		switch {
		case u.sum.done():
			return checkpoint.Done
		case u.sum.is("partial"), u.sum.status == "":
			return checkpoint.Active
		case needsPerson(u.sum.status):
			return sources.TaskWaiting
		}
		return sources.MeaningOf(u.sum.status).TaskState()
	}
	c := u.check
	switch {
	case c == nil:
		return checkpoint.Pending
	case needsPerson(c.status):
		return sources.TaskWaiting
	case sources.MeaningOf(c.status) == sources.MeansFailed:
		return checkpoint.Failed
	}
	return checkpoint.Active
}

// needsPerson: the executor stopped for a decision or for something only a person can do.
func needsPerson(status string) bool {
	switch sources.FoldWord(status) {
	case "needsdecision", "needsaction":
		return true
	}
	return false
}

// open: something is left to be done about the plan.
func (s *standing) open(u *unit) bool {
	return s.states[u] != checkpoint.Done && s.states[u] != checkpoint.Skipped
}

// closed: there is such a plan, and nothing is left to be done about it.
func (s *standing) closed(id string) bool {
	u := s.run.find(id)
	return u != nil && !s.open(u)
}

// checkMarker finds out what the marker is worth: it is written late and removed late, so that it proves neither life nor death.
func (s *standing) checkMarker() {
	all := ""
	if s.allDone() {
		all = "all plans have summaries"
	}
	var doubts []sources.Doubt
	s.agent, doubts = s.run.agents.Judge(func(id string) string {
		if u := s.run.find(id); u.finished() {
			return "plan " + u.id + " has a summary" + map[bool]string{true: " that says completed"}[u.sum.status != ""]
		}
		return ""
	}, all)
	s.marked = s.run.find(s.agent.Unit)
	for i := range doubts {
		if doubts[i].Code == sources.DoubtStaleMarker {
			doubts[i].Text += "; long-run's own check takes it for a working agent, and 'clean-up' removes it"
		}
	}
	s.run.doubts = append(s.run.doubts, doubts...)
}

func (s *standing) allDone() bool {
	done := false
	for _, u := range s.run.units {
		if s.open(u) {
			return false
		}
		done = done || s.states[u] == checkpoint.Done
	}
	return done
}

// collect evaluates all four signs in the system's own order.
func (s *standing) collect() {
	r := s.run
	if s.agent.Live() {
		fields := map[string]any{"agent_id": r.agents.Marker}
		if s.agent.Known {
			fields["plan"], fields["status"], fields["timestamp"] = s.agent.Plan, s.agent.Status, s.agent.Timestamp
		}
		s.signs = append(s.signs, sign{activeAgent, s.marked, fields})
	}
	s.collectPartial()
	s.collectBetween()
	for _, c := range r.asked {
		if c.pending() {
			s.signs = append(s.signs, sign{pendingWord, s.groupOf(c), map[string]any{"task_group": c.group, "question": c.question}})
			break
		}
	}
	s.collectLeft()
}

func (s *standing) collectPartial() {
	var all []string
	for _, u := range s.run.units {
		c := u.check
		if !c.partial() || u.finished() || u.sum.is("skipped") {
			continue
		}
		if all = append(all, u.id); len(all) > 1 {
			continue
		}
		fields := map[string]any{"plan": first(c.plan, u.id), "completed_tasks": c.done}
		if !c.open {
			fields["total_tasks"] = c.total
		}
		if c.last != "" {
			fields["last_commit"] = c.last
		}
		s.signs = append(s.signs, sign{partialPlan, u, fields})
	}
	if len(all) > 1 {
		s.run.doubt("more-partial-plans", conflicts.Warning, "", "plan %s was interrupted too: plan %s comes first", strings.Join(all[1:], ", "), all[0])
	}
}

// collectBetween compares the state file's pointer with the summaries.
func (s *standing) collectBetween() {
	r := s.run
	last, current := s.lastSummed(), r.state.current
	if !r.state.complete() && current != "" && sources.NaturalOrder(current, last) > 0 {
		s.between(r.find(current), current, last)
	}
}

// collectLeft: where no sign shows anything, a plan that is left over in the middle does: pointers lag, and the highest summary hides gaps.
func (s *standing) collectLeft() {
	if len(s.signs) > 0 || s.run.state.complete() || !s.begun() {
		return
	}
	if u := s.firstOpen(); u != nil {
		s.between(u, u.id, s.lastSummed())
	}
}

func (s *standing) between(u *unit, from, last string) {
	s.signs = append(s.signs, sign{betweenPlans, u, map[string]any{"resume_from": number(from), "last_completed": number(last)}})
}

// begun: something was done, or the state file says more than that it is ready.
func (s *standing) begun() bool {
	if s.run.summed > 0 || len(s.run.agents.Entries) > 0 {
		return true
	}
	for _, u := range s.run.units {
		if u.check != nil {
			return true
		}
	}
	switch sources.MeaningOf(s.run.state.status) {
	case sources.MeansReady, sources.MeansPending:
		return false
	}
	return s.run.state.ok && sources.FoldWord(s.run.state.status) != "readytoexecute"
}

// lastSummed is the highest plan that has a summary, whatever it says; 0 if none has.
func (s *standing) lastSummed() string {
	last := "0"
	for _, u := range s.run.units {
		if u.sum != nil {
			last = u.id
		}
	}
	return last
}

func number(id string) any {
	if n, err := strconv.Atoi(id); err == nil {
		return n
	}
	return id
}

// groupOf is the plan that a question is about.
func (s *standing) groupOf(c clarification) *unit {
	for _, u := range s.run.units {
		if c.title != "" && strings.EqualFold(u.title(), c.title) {
			return u
		}
	}
	return s.run.find(c.group)
}

func (u *unit) title() string {
	if u.sum != nil && u.plan.Title == "" {
		return u.sum.group
	}
	return u.plan.Title
}

// shown is the title for people; one that only repeats the number says nothing.
func (u *unit) shown() string {
	if t := u.title(); sources.NaturalOrder(t, u.id) != 0 {
		return t
	}
	return ""
}

// passedOver: a plan without any record that later finished plans and the state file have left behind.
func (s *standing) passedOver(u *unit) bool {
	r := s.run
	if u.sum != nil || u.check != nil || r.state.current != "" && sources.NaturalOrder(r.state.current, u.id) <= 0 {
		return false
	}
	i := slices.Index(r.units, u)
	return slices.ContainsFunc(r.units[i+1:], (*unit).finished)
}

// firstOpen is the first plan that is not done, is not passed over, and whose needs are done; else the first open one.
func (s *standing) firstOpen() *unit {
	var any *unit
	for _, u := range s.run.units {
		if !s.open(u) || s.passedOver(u) {
			continue
		}
		if any == nil {
			any = u
		}
		if len(s.unmet(u)) == 0 {
			return u
		}
	}
	return any
}

// unmet are the needs of a plan that are not done.
func (s *standing) unmet(u *unit) []string {
	var out []string
	for _, id := range u.plan.Needs {
		if !s.run.find(id).finished() {
			out = append(out, id)
		}
	}
	return out
}

// choose finds the plan to go on with: what was interrupted, unless something that it needs was never done.
func (s *standing) choose() {
	for _, g := range s.signs {
		if g.unit != nil && s.open(g.unit) && g.kind != pendingWord {
			s.point = g.unit
			break
		}
	}
	if s.point == nil {
		s.point = s.firstOpen()
	}
	for seen := []*unit{}; s.point != nil && !slices.Contains(seen, s.point); {
		seen = append(seen, s.point)
		for _, id := range s.unmet(s.point) {
			if need := s.run.find(id); need != nil && s.open(need) {
				s.run.doubt("needs-not-done", conflicts.Warning, need.planned, "plan %s needs plan %s: dependency plan not executed", s.point.id, need.id)
				s.point = need
				break
			}
		}
	}
}

// block marks plans whose needs can never be met as they stand, and names circles.
func (s *standing) block() {
	for _, u := range s.run.units {
		if !s.open(u) {
			continue
		}
		for _, id := range s.unmet(u) {
			need := s.run.find(id)
			switch {
			case need == nil:
				s.states[u] = checkpoint.Blocked
				s.run.doubt(sources.DoubtUnknownNeed, conflicts.Blocking, u.planned, "plan %s needs plan %s: dependency plan not executed, and there is no such plan", u.id, id)
			case s.states[need] == checkpoint.Skipped:
				s.states[u] = checkpoint.Blocked
				s.run.doubt("needs-skipped", conflicts.Warning, need.sum.path, "plan %s needs plan %s, which was skipped%s", u.id, need.id, because(need.sum.reason))
			}
		}
	}
	if circle := s.circle(); circle != nil {
		s.run.doubt(sources.DoubtCycle, conflicts.Blocking, "", "plans need each other in a circle: %s", strings.Join(circle, " → "))
		for _, id := range circle {
			s.states[s.run.find(id)] = checkpoint.Blocked
		}
	}
}

// because says in words why a plan was skipped; a reason that is not ours is shown as it is.
func because(reason string) string {
	switch reason {
	case "":
		return ""
	case byUser:
		return " by a person"
	case unclear:
		return " because a question was not answered"
	}
	return ": " + reason
}

// circle is a path along needs that comes back to its beginning.
func (s *standing) circle() []string {
	done := map[*unit]bool{}
	var walk func(u *unit, way []*unit) []string
	walk = func(u *unit, way []*unit) []string {
		if i := slices.Index(way, u); i >= 0 {
			var ids []string
			for _, w := range append(way[i:], u) {
				ids = append(ids, w.id)
			}
			return ids
		}
		if done[u] {
			return nil
		}
		for _, id := range u.plan.Needs {
			if need := s.run.find(id); need != nil && s.open(need) {
				if c := walk(need, append(slices.Clone(way), u)); c != nil {
					return c
				}
			}
		}
		done[u] = true
		return nil
	}
	for _, u := range s.run.units {
		if c := walk(u, nil); s.open(u) && c != nil {
			return c
		}
	}
	return nil
}

// compare tells where pointers and words disagree with the plans' own records.
func (s *standing) compare() {
	r := s.run
	for _, u := range r.units {
		if s.passedOver(u) {
			r.doubt(sources.DoubtSkippedOver, conflicts.Info, u.planned, "plan %s has no summary, and later plans are done: it was passed over", u.id)
		}
		if u.check != nil && !u.check.partial() && u.check.done > 0 && u.sum == nil {
			r.doubt(sources.DoubtNotMarked, conflicts.Info, u.check.path, "%s, and it has no summary", allDone(u.check.total, "task", " of plan "+u.id))
		}
	}
	s.tellEarlier()
	s.tellLeftOver()
	st := r.state
	switch {
	case !st.ok:
	case st.complete() && !s.allDone() && len(r.units) > 0:
		r.doubt(sources.DoubtStatusWord, conflicts.Warning, st.path, "STATE.md says %s, and %s", st.status, s.counted())
	case s.beyond():
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at plan %s, and there is no such plan: plan %s is next", st.current, s.point.id)
		return
	case st.current != "" && s.point != nil && sources.NaturalOrder(st.current, s.point.id) < 0:
		why := "the summaries reach further"
		if sources.NaturalOrder(s.lastSummed(), st.current) < 0 {
			why = "a later plan was begun"
		}
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at plan %s, and %s: plan %s is next%s", st.current, why, s.point.id, s.ownFindsNone())
		return
	case !st.complete() && s.allDone():
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md says %s, and %s", first(st.status, "nothing"), s.counted())
	}
	s.tellOwnCheck()
}

// beyond: the state file stands at a plan that is not there, and another one is next.
func (s *standing) beyond() bool {
	st := s.run.state
	return st.ok && !st.complete() && s.point != nil && s.run.numbered() && st.current != "" && s.run.find(st.current) == nil &&
		sources.NaturalOrder(st.current, s.run.units[len(s.run.units)-1].id) > 0
}

// tellEarlier names open plans before the next one of which nothing is recorded, and which the state file has left behind.
func (s *standing) tellEarlier() {
	for _, u := range s.run.units {
		if u == s.point {
			return
		}
		if s.point != nil && s.states[u] == checkpoint.Pending && !s.passedOver(u) && sources.NaturalOrder(s.run.state.current, u.id) > 0 {
			s.run.doubt(sources.DoubtSkippedOver, conflicts.Warning, u.planned, "plan %s has no summary, and STATE.md stands behind it, at plan %s", u.id, s.run.state.current)
		}
	}
}

// counted says how many plans are done, and how many were skipped: that is not the same.
func (s *standing) counted() string {
	done, skipped := 0, 0
	for _, state := range s.states {
		switch state {
		case checkpoint.Done:
			done++
		case checkpoint.Skipped:
			skipped++
		}
	}
	text := fmt.Sprintf("%d of %d plans are done", done, len(s.run.units))
	switch {
	case done > 0 && done == len(s.run.units):
		return allDone(done, "plan", "")
	case skipped > 0:
		text += ", " + sources.Count(skipped, "was", "were") + " skipped"
	}
	return text
}

// state is how the run stands.
func (s *standing) state() sources.State {
	r := s.run
	primary := ""
	if len(s.signs) > 0 {
		primary = s.signs[0].kind
	}
	switch {
	case r.corrupt, r.state.there && !r.state.ok && r.planned == 0:
		return sources.Corrupt // without state and plans, summaries do not tell how much there was to do
	case s.waits():
		return sources.Waiting
	case primary == "" && s.allDone() && (r.planned > 0 || r.state.ok):
		return sources.Complete
	case primary == "" && r.state.complete():
		if len(r.units) == 0 {
			return sources.Complete
		}
		return sources.Review // its word against missing summaries: somebody has to look
	case primary == "" && s.point == nil && s.begun():
		return sources.Unknown
	case primary == "" && !s.begun():
		return sources.NotStarted
	case s.point != nil && s.states[s.point] == checkpoint.Blocked:
		return sources.Blocked
	case s.point != nil && s.states[s.point] == checkpoint.Failed, sources.MeaningOf(r.state.status) == sources.MeansFailed:
		return sources.Failed
	case primary != activeAgent && sources.FoldWord(r.state.status) == "stopped":
		return sources.Paused
	}
	return sources.Interrupted
}

// waits: nothing but a person's word keeps it from going on.
func (s *standing) waits() bool {
	for _, g := range s.signs {
		switch g.kind {
		case activeAgent, partialPlan:
			return s.point != nil && s.states[s.point] == sources.TaskWaiting
		case pendingWord:
			return true
		}
	}
	return s.point != nil && s.states[s.point] == sources.TaskWaiting
}

func (s *standing) cause() string {
	if s.point != nil {
		if w := wordOf(s.point); w != "" && s.states[s.point] == checkpoint.Failed {
			if s.point.check != nil && s.point.check.fault != "" {
				return w + ": " + s.point.check.fault
			}
			return w
		}
		if s.point.check != nil && sources.FoldWord(s.point.check.status) == "interrupted" {
			return "interrupted"
		}
	}
	switch sources.FoldWord(s.run.state.status) {
	case "stopped", "interrupted", "failed":
		return first(s.run.state.stopped, strings.ToLower(s.run.state.status))
	}
	if s.agent.Known && !s.agent.Stale && sources.FoldWord(s.agent.Status) != "spawned" {
		return s.agent.Status
	}
	return ""
}

// wordOf is the status word of a plan as written.
func wordOf(u *unit) string {
	if u.sum != nil && u.sum.status != "" {
		return u.sum.status
	}
	if u.check != nil {
		return u.check.status
	}
	return ""
}

func (s *standing) protocol() map[string]any {
	if len(s.signs) == 0 {
		return map[string]any{"interrupted": false, "completed_plans": s.run.summed, "total_plans": s.run.planned}
	}
	out := s.signs[0].fields
	out["interrupted"], out["type"] = true, s.signs[0].kind
	var also []any
	for _, g := range s.signs[1:] {
		g.fields["type"] = g.kind
		also = append(also, g.fields)
	}
	if also != nil {
		out["also"] = also
	}
	out["completed_plans"], out["total_plans"] = s.run.summed, s.run.planned
	return out
}

func (s *standing) tasks() []sources.Task {
	var out []sources.Task
	for _, u := range s.run.units {
		t := sources.Task{ID: u.id, Title: u.shown(), State: s.states[u], Raw: wordOf(u), Needs: u.plan.Needs, Commit: s.run.lastCommit(u)}
		switch {
		case u.sum != nil:
			t.Evidence, t.Ended = u.sum.path, u.sum.ended
		case u.check != nil:
			t.Evidence, t.Files = u.check.path+": "+u.check.tasks(), u.check.files
		}
		if s.marked == u && s.agent.Live() && t.State == checkpoint.Pending {
			t.State, t.Raw, t.Evidence, t.Began = checkpoint.Active, s.agent.Status, s.run.agents.MarkerPath, s.agent.Began
		}
		out = append(out, t)
	}
	return out
}

// where fills in the resume point.
func (s *standing) where(f *sources.Found) {
	for i := len(f.Tasks) - 1; i >= 0 && f.Last == ""; i-- {
		f.Last = f.Tasks[i].Commit
	}
	u := s.point
	if f.State == sources.Complete || u == nil {
		switch current := s.run.state.current; {
		case !f.State.Open() || !s.run.state.ok:
		case len(s.run.units) == 0:
			f.Point = sources.Point{Task: current, Title: s.run.state.group, Reason: "STATE.md says so; there are no plans yet"}
		case current != "" && s.run.find(current) == nil:
			f.Point = sources.Point{Task: current, Title: s.run.state.group, Reason: "STATE.md stands there, and there is no such plan"}
		}
		return
	}
	f.Point = sources.Point{Task: u.id, Title: u.shown()}
	c := u.check
	switch {
	case c != nil && c.partial() && c.open:
		f.Point.Reason = fmt.Sprintf("%s of plan %s are done", c.tasks(), u.id)
	case c != nil && c.partial() && c.done == 0:
		f.Point.Reason = fmt.Sprintf("plan %s was started, and none of its %s was finished", u.id, sources.Count(c.total, "task", "tasks"))
	case c != nil && c.partial():
		f.Point.Reason = fmt.Sprintf("%d of %d tasks of plan %s are done; task %d is next", c.done, c.total, u.id, c.done+1)
	case c != nil && u.sum == nil:
		f.Point.Reason = fmt.Sprintf("all tasks of plan %s are done; its summary is missing", u.id)
	case u.sum != nil:
		f.Point.Reason = fmt.Sprintf("the summary of plan %s says %s", u.id, first(u.sum.status, "that tasks are open"))
	default:
		f.Point.Reason = s.whyNext(u)
	}
	if step := s.nextStep(u); step != "" {
		f.Point.Title = step
	}
}

// whyNext says why a plan comes next of which nothing is recorded.
func (s *standing) whyNext(u *unit) string {
	earlier := s.run.units[:slices.Index(s.run.units, u)]
	switch {
	case u.planned == "" && sources.NaturalOrder(s.run.state.current, u.id) == 0:
		return "STATE.md stands there, and its plan file is missing"
	case !slices.ContainsFunc(earlier, func(e *unit) bool { return e.sum == nil }):
		return "it is the first plan without a summary"
	case sources.NaturalOrder(s.run.state.current, u.id) == 0:
		return "STATE.md stands there, and it has no summary"
	case len(s.unmet(u)) == 0:
		return "it is the first plan without a summary that can begin"
	}
	return "it has no summary, and those before it cannot begin either"
}

// stands counts plans, and within a plan its tasks.
func (s *standing) stands() string {
	if s.point == nil {
		return ""
	}
	text := fmt.Sprintf("plan %d of %d", slices.Index(s.run.units, s.point)+1, len(s.run.units))
	if c := s.point.check; c.partial() && !c.open {
		text += fmt.Sprintf(", task %d of %d", c.done+1, c.total)
	}
	return text
}

// steps counts the finished tasks of all plans that are not over.
func (s *standing) steps() int {
	n := 0
	for _, u := range s.run.units {
		if u.check != nil && s.open(u) {
			n += u.check.done
		}
	}
	return n
}

// nextStep is the name of the task within a plan that comes next.
func (s *standing) nextStep(u *unit) string {
	if c := u.check; c.partial() {
		if c.done < len(u.plan.Steps) {
			return u.plan.Steps[c.done]
		}
		if c.done < len(c.names) {
			return c.names[c.done]
		}
	}
	return ""
}

func (s *standing) questions(f *sources.Found) {
	for _, c := range s.run.asked {
		if c.pending() {
			f.Questions = append(f.Questions, sources.Question{Task: c.group, Text: c.question})
		}
	}
	for _, u := range s.run.units {
		if s.states[u] != sources.TaskWaiting {
			continue
		}
		q := sources.Question{Task: u.id, Text: "plan " + u.id + " waits for a person: " + wordOf(u)}
		if u.check != nil && u.check.question != "" {
			q.Text, q.Options = u.check.question, u.check.options
		}
		f.Questions = append(f.Questions, q)
	}
}

// needs are the files without which the next plan cannot be worked on.
func (s *standing) needs(f *sources.Found) {
	if s.point == nil || !f.State.Open() {
		return
	}
	plan := s.point.planned
	if plan == "" {
		plan = s.run.dir + "/plans/" + s.point.id + "-PLAN.md"
	}
	f.Needs = append(f.Needs, sources.File{Path: plan, For: s.point.id, Missing: !s.run.tree.Has(plan), Critical: true})
	if tasks := path.Dir(s.run.dir) + "/tasks.md"; s.run.tree.Has(tasks) {
		f.Needs = append(f.Needs, sources.File{Path: tasks})
	}
}
