package planning

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// standing is what the files come to.
type standing struct {
	*project
	newest int // the last phase that has a summary, or -1
	point  *planFile
	phase  *phase // the phase to plan or to close, where there is no plan to go on with
	close  bool
	pause  *pause
	agent  sources.Marked
	late   *pause // a note about a plan that has a summary by now
}

// judge finds out what marks and notes are worth, by the summaries.
func (p *project) judge() *standing {
	s := &standing{project: p, newest: -1}
	for i, ph := range p.phases {
		if slices.ContainsFunc(ph.plans, (*planFile).done) {
			s.newest = i
		}
	}
	s.checkMarker()
	s.checkPauses()
	return s
}

func (p *project) found() sources.Found {
	s := p.judge()
	s.choose()
	s.compare()
	f := sources.Found{
		Source: name, ID: p.view.Name(), Name: p.view.Name(), Home: p.tree.WorkTree, Root: folder, Files: p.files,
		Status: p.state.status, State: s.verdict(), Active: p.active, From: p.activeBy,
	}
	f.Tasks = s.tasks()
	s.where(&f)
	f.Headline = s.headline(&f)
	f.Alternatives = s.alternatives(&f)
	f.Protocol = s.protocol()
	f.Command = s.command(&f)
	if s.agent.Live() {
		f.Session = s.agent.ID
	}
	if s.pause != nil {
		f.Cause = "paused"
	}
	f.Doubts = p.doubts
	return f
}

// checkMarker finds out what the marker is worth, by the rule that a summary overrules it.
func (s *standing) checkMarker() {
	all := ""
	if s.newest >= 0 && s.allDone() {
		all = "all plans have summaries"
	}
	var doubts []sources.Doubt
	s.agent, doubts = s.agents.Judge(func(id string) string {
		if u := s.find(id); u.done() {
			return "plan " + u.id + " has a summary"
		}
		return ""
	}, all)
	s.doubts = append(s.doubts, doubts...)
}

// allDone: every plan that is not left behind has its summary.
func (s *standing) allDone() bool {
	for _, ph := range s.phases[max(0, s.newest):] {
		for _, u := range ph.plans {
			if !u.done() {
				return false
			}
		}
	}
	return true
}

// checkPauses takes the newest note that still speaks of open work.
func (s *standing) checkPauses() {
	for i := range s.pauses {
		n := &s.pauses[i]
		if why := s.overruled(n); why != "" {
			s.late = n
			s.doubt(sources.DoubtStaleMarker, conflicts.Warning, n.path, "the note in %s is left over: %s", n.path, why)
			continue
		}
		if s.pause == nil || n.at >= s.pause.at {
			s.pause = n
		}
	}
}

// overruled says why a note no longer counts; empty if it does.
func (s *standing) overruled(n *pause) string {
	number := sources.LeadingNumber(n.phase)
	if u := s.find(unit(number, n.plan)); u.done() {
		return "plan " + u.id + " has a summary"
	}
	ph := s.phaseOf(number)
	if _, err := strconv.Atoi(n.task); n.plan != "" || err != nil || ph == nil || len(ph.plans) == 0 {
		return "" // it speaks of something that is no task of a plan
	}
	if slices.ContainsFunc(ph.plans, func(u *planFile) bool { return !u.done() }) {
		return ""
	}
	return "all plans of phase " + ph.number + " have summaries"
}

func unit(phase, plan string) string {
	if plan == "" || phase == "" || strings.Contains(plan, "-") {
		return plan
	}
	return phase + "-" + plan
}

// choose finds where to go on: a note, a marked agent, the first plan without a summary in the newest phase that has any,
// the next plan in order, the next phase that has to be planned. What was passed over is listed, and never chosen.
func (s *standing) choose() {
	if s.pause != nil {
		number := sources.LeadingNumber(s.pause.phase)
		if s.point = s.find(unit(number, s.pause.plan)); s.point == nil {
			s.point = s.firstOpen(s.phaseOf(number))
		}
		return
	}
	if u := s.find(s.agent.Unit); u != nil && s.agent.Live() {
		s.point = u
		return
	}
	for _, ph := range s.phases[max(0, s.newest):] {
		if s.point = s.firstOpen(ph); s.point != nil {
			return
		}
		if s.unfinished(ph) {
			s.phase, s.close = ph, len(ph.plans) > 0
			return
		}
	}
	if s.point = s.firstQuick(); s.point != nil {
		return
	}
	for _, ph := range s.phases[:max(0, s.newest)] {
		if rp, _ := s.roadmap.at(ph.number); len(ph.plans) == 0 && rp.standing == open {
			s.phase = ph
			return
		}
	}
}

func (s *standing) firstOpen(ph *phase) *planFile {
	if ph == nil {
		return nil
	}
	for _, u := range ph.plans {
		if !u.done() && (u.path != "" || u.torn) {
			return u
		}
	}
	return nil
}

// firstQuick is a small task that nothing later has left behind.
func (s *standing) firstQuick() *planFile {
	var open *planFile
	for _, u := range s.quick.plans {
		switch {
		case u.done():
			open = nil
		case open == nil:
			open = u
		}
	}
	return open
}

// unfinished: the roadmap leaves the phase open; of one that it does not name, a folder without plans shows it.
func (s *standing) unfinished(ph *phase) bool {
	rp, named := s.roadmap.at(ph.number)
	if len(ph.plans) > 0 {
		return rp.standing == open
	}
	return named && rp.standing != closed
}

// compare tells what was passed over, and where the state file lags.
func (s *standing) compare() {
	for _, ph := range s.phases[:max(0, s.newest)] {
		for _, u := range ph.plans {
			if !u.done() && u != s.point {
				s.doubt(sources.DoubtSkippedOver, conflicts.Info, u.path, "plan %s has no summary, and later phases have: it was passed over", u.id)
			}
		}
	}
	st := &s.state
	last := s.lastDone()
	switch {
	case !st.ok || last == nil || st.phase == "":
	case sources.NaturalOrder(st.phase, last.phase.number) < 0,
		sources.NaturalOrder(st.phase, last.phase.number) == 0 && st.plan != "" && sources.NaturalOrder(unit(st.phase, st.plan), last.id) < 0:
		s.doubt(sources.DoubtDiscrepancy, conflicts.Warning, st.path, "STATE.md stands at phase %s, plan %s, and the summaries reach further: %s", st.phase, first(st.plan, "?"), last.id)
	}
	if len(s.phases) > 0 && !s.roadmap.there {
		s.doubt(sources.DoubtMissing, conflicts.Info, s.roadmap.path, "%s is not there: whether more phases were meant to come is not known", s.roadmap.path)
	}
}

// lastDone is the last plan that has a summary.
func (s *standing) lastDone() *planFile {
	if s.newest < 0 {
		return nil
	}
	var last *planFile
	for _, u := range s.phases[s.newest].plans {
		if u.done() {
			last = u
		}
	}
	return last
}

// plans counts those of phases, and how many are done.
func (s *standing) plans() (done, total int) {
	for _, ph := range s.phases {
		for _, u := range ph.plans {
			total++
			if u.done() {
				done++
			}
		}
	}
	return done, total
}

// verdict is how it stands.
func (s *standing) verdict() sources.State {
	done, total := s.plans()
	st := &s.state
	switch {
	case s.pause != nil:
		return sources.Paused
	case s.agent.Live():
		return sources.Interrupted
	case total == 0 && s.phase == nil && s.point == nil:
		return s.byWord()
	case s.point == nil && s.phase == nil && s.leftOpen():
		return sources.Review
	case s.point == nil && s.phase == nil:
		return sources.Complete
	case s.point == nil && s.close:
		return sources.Review
	case done == 0 && s.point != nil && len(s.agents.Entries) == 0 && (!st.ok || !strings.EqualFold(st.status, "executing")):
		return sources.NotStarted
	}
	return sources.Interrupted
}

// leftOpen: a plan was passed over, and the roadmap still counts on its phase.
func (s *standing) leftOpen() bool {
	for _, ph := range s.phases[:max(0, s.newest)] {
		rp, _ := s.roadmap.at(ph.number)
		if rp.standing == open && s.firstOpen(ph) != nil {
			return true
		}
	}
	return false
}

// byWord is how it stands where there are no plans to show it: the state file alone is believed as far as it goes.
func (s *standing) byWord() sources.State {
	st := &s.state
	switch {
	case st.there && !st.ok:
		return sources.Corrupt
	case !st.ok && len(s.agents.Entries) > 0:
		return sources.Unknown
	case !st.ok:
		return sources.NotStarted
	case st.complete():
		s.doubt(sources.DoubtNoEvidence, conflicts.Info, st.path, "STATE.md says that all is done, and there are no plans to show it")
		return sources.Complete
	}
	s.doubt(sources.DoubtNoEvidence, conflicts.Warning, st.path, "there are no plans; STATE.md alone tells where it stands")
	if id, _ := s.byPointer(); id == "" {
		return sources.Unknown
	}
	return sources.Interrupted
}

// byPointer reads the next step out of the state file: the plan after the last completed one, else the next phase.
func (s *standing) byPointer() (id, reason string) {
	st := &s.state
	atEnd := st.plan != "" && st.plan == st.plans
	switch {
	case st.phase == "":
		return "", ""
	case st.last != "" && sources.NaturalOrder(unit(st.phase, st.plan), st.last) == 0 && !atEnd:
		n, err := strconv.Atoi(st.plan)
		if err != nil {
			return "", ""
		}
		return fmt.Sprintf("%s-%02d", st.phase, n+1), "STATE.md names plan " + st.last + " as the last one completed"
	case !st.ended && st.plan != "" && !atEnd:
		return unit(st.phase, pad(st.plan)), "STATE.md stands at plan " + st.plan + " of " + first(st.plans, "?")
	case (st.ended || atEnd) && st.phases != "" && sources.NaturalOrder(st.phase, st.phases) < 0:
		n, err := strconv.Atoi(sources.LeadingNumber(strings.Split(st.phase, ".")[0]))
		if err != nil {
			return "", ""
		}
		return strconv.Itoa(n + 1), "STATE.md stands at the end of phase " + st.phase + " of " + st.phases
	}
	return "", ""
}

func pad(plan string) string {
	if len(plan) == 1 {
		return "0" + plan
	}
	return plan
}

func (s *standing) tasks() []sources.Task {
	var out []sources.Task
	for _, ph := range append(slices.Clone(s.phases), s.quick) {
		if len(ph.plans) == 0 && ph != s.quick && s.unfinished(ph) {
			rp, _ := s.roadmap.at(ph.number)
			out = append(out, sources.Task{ID: ph.number, Title: rp.title, Phase: ph.label(), State: checkpoint.Pending, Evidence: s.roadmap.path})
		}
		for _, u := range ph.plans {
			out = append(out, s.task(u))
		}
	}
	return out
}

func (ph *phase) label() string {
	if ph.dir == "" {
		return ph.number
	}
	return path.Base(ph.dir)
}

func (s *standing) task(u *planFile) sources.Task {
	t := sources.Task{ID: u.id, Phase: u.phase.label(), State: checkpoint.Pending}
	switch {
	case u.done():
		t.State, t.Evidence = checkpoint.Done, u.summary
		return t
	case u.torn:
		t.State, t.Evidence = sources.TaskUnknown, u.summary
	case s.agent.Live() && s.agent.Unit != "" && s.find(s.agent.Unit) == u:
		t.State, t.Raw, t.Began, t.Evidence = checkpoint.Active, s.agent.Status, s.agent.Began, s.agents.MarkerPath
	case s.pause != nil && u == s.point:
		t.State, t.Raw, t.Evidence = checkpoint.Active, s.pause.status, s.pause.path
	}
	s.load(u)
	t.Title, t.Needs, t.Files = u.doc.Title, u.doc.Needs, u.doc.Front.Get("files_modified").Texts()
	return t
}

func (s *standing) where(f *sources.Found) {
	switch {
	case !f.State.Open():
	case s.pause != nil:
		f.Point = sources.Point{Task: s.pause.phase, Reason: s.pauseLine()}
		if s.point != nil {
			f.Point.Task, f.Point.Title = s.point.id, s.point.doc.Title
		}
	case s.point != nil:
		f.Point = sources.Point{Task: s.point.id, Title: s.point.doc.Title, Reason: "the first plan without a summary"}
		if s.newest >= 0 && s.point.phase == s.phases[s.newest] {
			f.Point.Reason += " in the newest phase that has one"
		}
		if s.agent.Live() && s.agent.Unit != "" {
			f.Point.Reason = "agent " + s.agent.ID + " was working on it"
		}
		f.Needs = append(f.Needs, sources.File{Path: s.point.path, For: s.point.id, Missing: s.point.path == "", Critical: true})
	case s.phase != nil:
		rp, _ := s.roadmap.at(s.phase.number)
		f.Point = sources.Point{Task: s.phase.number, Title: "plan this phase: " + rp.title, Reason: "ROADMAP.md leaves phase " + s.phase.number + " open, and it has no plans"}
		if s.close {
			f.Point.Title = "close this phase: " + rp.title
			f.Point.Reason = "all plans of phase " + s.phase.number + " have summaries, and ROADMAP.md leaves it open"
		}
	case s.agent.Live() && s.agent.Unit != "":
		f.Point = sources.Point{Task: s.agent.Unit, Title: s.agent.Task, Reason: "agent " + s.agent.ID + " was working on it"}
	case f.State == sources.Interrupted:
		f.Point.Task, f.Point.Reason = s.byPointer()
	}
}

func (s *standing) pauseLine() string {
	line := "a note was left in " + s.pause.path
	if s.pause.task != "" {
		line += fmt.Sprintf(": task %s of %s", s.pause.task, first(s.pause.of, "?"))
	}
	if s.pause.status != "" {
		line += ", " + s.pause.status
	}
	return line
}

func (s *standing) headline(f *sources.Found) string {
	done, total := s.plans()
	switch {
	case s.pause != nil:
		return "paused in phase " + s.pause.phase + "; " + s.pauseLine()
	case s.agent.Live() && s.agent.Known:
		return fmt.Sprintf("plan %s was interrupted; agent %s was spawned at %s", first(s.agent.Unit, "?"), s.agent.ID, first(s.agent.Timestamp, "an unknown time"))
	case s.agent.Live():
		return fmt.Sprintf("agent %s is marked as working, plan unknown", s.agent.ID)
	case total == 0 && f.Point.Task != "":
		return "next is " + f.Point.Task + "; " + f.Point.Reason
	case total == 0 && f.State == sources.Complete:
		return "STATE.md says that all is done"
	case total == 0 && len(s.agents.Entries) > 0:
		return fmt.Sprintf("there are no plans; the history knows %s", agents(len(s.agents.Entries)))
	case total == 0 && s.state.ok:
		return "there are no plans; STATE.md says " + first(s.state.status, "nothing")
	case total == 0:
		return "there are no plans"
	case f.Point.Task != "":
		return fmt.Sprintf("%d of %d plans have summaries; next is %s", done, total, f.Point.Task)
	}
	return fmt.Sprintf("%d of %d plans have summaries", done, total)
}

func agents(n int) string {
	if n == 1 {
		return "1 agent"
	}
	return fmt.Sprintf("%d agents", n)
}

func (s *standing) alternatives(f *sources.Found) []sources.Alternative {
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	if f.State.Open() {
		switch {
		case f.Point.Task != "" && s.phase == nil:
			add(sources.Continue, "go on with %s", f.Point.Task)
		case f.Point.Task != "":
			add(sources.Continue, "%s", f.Point.Title)
		default:
			add(sources.Continue, "go on where STATE.md stands")
		}
		if s.agent.Live() {
			add(sources.ResumeAgent, "resume agent %s, if the tool that spawned it can", s.agent.ID)
		}
		add(sources.StartFresh, "start fresh: move all of it to %s", archiveName("<time>"))
	}
	if files := s.leftovers(); len(files) > 0 {
		add(sources.CleanUp, "remove what is left over: %s", strings.Join(files, ", "))
	}
	return out
}

// leftovers are the marks that the summaries overrule.
func (s *standing) leftovers() []string {
	var out []string
	if s.agent.Stale {
		out = append(out, s.agents.MarkerPath)
	}
	if s.late != nil {
		out = append(out, s.late.path)
	}
	return out
}

func (s *standing) protocol() map[string]any {
	st := &s.state
	out := map[string]any{}
	for key, value := range map[string]string{
		"phase": st.labels["phase"], "plan": st.labels["plan"], "status": st.status, "stopped_at": first(st.labels["stopped_at"], st.stopped),
		"resume_file": st.resume, "agent_id": s.agents.Marker,
	} {
		if value != "" {
			out[key] = value
		}
	}
	if st.counts.IsObject() {
		out["progress"] = st.counts.Plain()
	}
	if s.pause != nil {
		out["continue_here"] = map[string]any{"phase": s.pause.phase, "task": s.pause.task, "total_tasks": s.pause.of, "status": s.pause.status, "last_updated": s.pause.at}
	}
	return out
}

// command is what the system itself would be told.
func (s *standing) command(f *sources.Found) string {
	number := sources.LeadingNumber(f.Point.Task)
	switch {
	case !f.State.Open():
		return ""
	case s.pause != nil || s.agent.Live() || number == "":
		return "/gsd:resume-work"
	case s.point != nil && s.point.phase == s.quick:
		return "/gsd:quick"
	case s.phase != nil && s.close:
		return "/gsd:verify-work " + number
	case s.phase != nil || !strings.Contains(f.Point.Task, "-"):
		return "/gsd:plan-phase " + number
	}
	return "/gsd:execute-phase " + number
}
