package planning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
)

// description converts the diagnosis of a project into a sources.Found.
type description struct{ *diagnosis }

func describe(p *project) sources.Found {
	s := description{diagnose(p)}
	s.choose()
	s.compare()
	f := sources.Found{
		Source: name, ID: p.View.Name(), Name: p.View.Name(), Home: p.Tree.WorkTree, Root: folder, Files: p.Files,
		Status: p.state.Status, State: s.verdict(), Active: p.Active, From: p.From, Protocol: s.protocol(),
	}
	f.Tasks = s.tasks()
	s.where(&f)
	f.Headline, f.Alternatives, f.Command = s.headline(&f), s.alternatives(&f), s.command(&f)
	if s.agent.Live() {
		f.Session = s.agent.ID
	}
	if s.pause != nil {
		f.Cause = "paused"
	}
	switch {
	case s.point != nil || s.phase == nil:
	case (!s.close || p.state.all) && p.state.shipped():
		f.Over = "STATE.md says '" + p.state.Labels["status"] + "'"
	case !s.close && p.state.closed():
		f.Over = "STATE.md counts all phases and plans of the milestone as complete"
	}
	f.Doubts, f.Earlier = p.Doubts, earlier(s.phases, s.phase)
	if s.point != nil {
		f.Earlier = earlier(s.phases, s.point.phase)
	}
	f.Awaits = s.close && s.point == nil && p.state.verifying()
	return f
}

// earlier counts the finished plans of the phases before the given one.
func earlier(phases []*phase, at *phase) (count int) {
	for _, ph := range phases[:max(0, slices.Index(phases, at))] {
		for _, u := range ph.plans {
			if u.done() {
				count++
			}
		}
	}
	return count
}

func (s description) tasks() []sources.Task {
	var out []sources.Task
	for _, ph := range append(slices.Clone(s.phases), s.quick) {
		if len(ph.plans) == 0 && ph != s.quick && s.unfinished(ph) {
			rp, _ := s.roadmap.at(ph.number)
			out = append(out, sources.Task{ID: ph.number, Title: rp.title, Phase: ph.label(), State: checkpoint.Pending, Evidence: s.roadmap.path})
		}
		for _, u := range ph.plans {
			t := s.task(u)
			t.Overtaken = !s.close && t.State == checkpoint.Pending && u != s.point && u.phase != s.quick && slices.Index(s.phases, u.phase) < s.newest
			out = append(out, t)
		}
	}
	return out
}

func (s description) task(u *planFile) sources.Task {
	t := sources.Task{ID: u.id, Phase: u.phase.label(), State: checkpoint.Pending}
	switch {
	case u.done():
		if t.State, t.Evidence = checkpoint.Done, u.summary; u.said != "" {
			t.Evidence = u.said
		}
		return t
	case u.torn:
		t.State, t.Evidence = sources.TaskUnknown, u.summary
	case s.agent.Live() && s.agent.Unit != "" && s.find(s.agent.Unit) == u:
		t.State, t.Raw, t.Began, t.Evidence = checkpoint.Active, s.agent.Status, s.agent.Began, s.Agents.MarkerPath
	case s.begun.ID != "" && u == s.point:
		t.State, t.Evidence = checkpoint.Active, "commit "+s.begun.ID.Short()+" names it"
		if !namesPlan(s.begun.Subject) {
			t.Evidence = "commit " + s.begun.ID.Short() + " names its phase"
		}
	case s.pause != nil && u == s.point:
		t.State, t.Raw, t.Evidence = checkpoint.Active, s.pause.status, s.pause.path
	}
	if u.path != "" {
		u.doc = s.Plan(u.path)
	}
	t.Title, t.Needs, t.Files = u.doc.Title, u.doc.Needs, u.doc.Front.Get("files_modified").Texts()
	return t
}

func (s description) where(f *sources.Found) {
	switch {
	case !f.State.Open():
	case s.pause != nil:
		f.Point = sources.Point{Task: s.pause.phase, Reason: s.pauseLine()}
		if s.point != nil {
			f.Point.Task, f.Point.Title = s.point.id, s.point.doc.Title
		}
	case s.point != nil:
		f.Point = sources.Point{Task: s.point.id, Title: s.point.doc.Title, Reason: "the next plan without a summary"}
		if s.newest >= 0 && s.point.phase == s.phases[s.newest] {
			f.Point.Reason += " in the newest phase with summaries"
		}
		if s.placed {
			f.Point.Reason = "the next plan without a summary in the phase that STATE.md names"
		}
		switch {
		case s.begun.ID != "" && namesPlan(s.begun.Subject):
			f.Point.Reason = "commit " + s.begun.ID.Short() + " names this plan, which has no summary"
		case s.begun.ID != "":
			f.Point.Reason = "commit " + s.begun.ID.Short() + " names phase " + s.point.phase.number + ", in which no plan has a summary"
		}
		if s.agent.Live() && s.find(s.agent.Unit) == s.point {
			f.Point.Reason = "agent " + s.agent.ID + " was working on it"
		}
		f.Needs = append(f.Needs, sources.File{Path: s.point.path, For: s.point.id, Missing: s.point.path == "", Critical: true})
	case s.phase != nil:
		rp, _ := s.roadmap.at(s.phase.number)
		f.Point = sources.Point{Task: s.phase.number, Title: "plan this phase: " + cmp.Or(rp.title, s.phase.label()), Reason: "phase " + s.phase.number + " is open in ROADMAP.md, but has no plans"}
		if s.placed {
			f.Point.Reason = "STATE.md is at phase " + s.phase.number + ", which has no plans"
		} else if !s.roadmap.there {
			f.Point.Reason = "phase " + s.phase.number + " has no plans, and there is no ROADMAP.md"
		}
		if s.close {
			f.Point.Title = "close this phase: " + cmp.Or(rp.title, s.phase.label())
			f.Point.Reason = "all plans of phase " + s.phase.number + " " + proof(s.phase) + ", but the phase is still open in ROADMAP.md"
		}
	case s.agent.Live() && s.agent.Unit != "":
		f.Point = sources.Point{Task: s.agent.Unit, Title: s.agent.Task, Reason: "agent " + s.agent.ID + " was working on it"}
	case f.State == sources.Interrupted:
		f.Point.Task, f.Point.Reason = s.byPointer()
	}
}

func (s description) pauseLine() string {
	line := "a note was left in " + s.pause.path
	if s.pause.task != "" {
		line += fmt.Sprintf(": task %s of %s", s.pause.task, cmp.Or(s.pause.of, "?"))
	}
	if s.pause.status != "" {
		line += ", " + s.pause.status
	}
	return line
}

func (s description) headline(f *sources.Found) string {
	done, total := s.plans()
	switch {
	case s.pause != nil && s.pause.phase == "":
		return "paused; " + s.pauseLine()
	case s.pause != nil:
		return "paused in phase " + s.pause.phase + "; " + s.pauseLine()
	case s.agent.Live() && s.agent.Known:
		return fmt.Sprintf("plan %s is not finished; agent %s was spawned at %s", cmp.Or(s.agent.Unit, "?"), s.agent.ID, cmp.Or(s.agent.Timestamp, "an unknown time"))
	case s.agent.Live():
		return fmt.Sprintf("agent %s is marked as working on an unknown plan", s.agent.ID)
	case total == 0 && f.Point.Task != "":
		return "next is " + f.Point.Task + "; " + f.Point.Reason
	case total == 0 && f.State == sources.Complete:
		return "STATE.md says that everything is done"
	case total == 0 && len(s.Agents.Entries) > 0:
		return "there are no plans; the history names " + sources.Count(len(s.Agents.Entries), "agent", "agents")
	case total == 0 && s.state.OK:
		return "there are no plans; STATE.md says " + cmp.Or(s.state.Status, "nothing")
	case total == 0:
		return "there are no plans"
	case f.Point.Task != "":
		return fmt.Sprintf("%d of %d plans %s; next is %s", done, total, proof(s.phases...), f.Point.Task)
	}
	return fmt.Sprintf("%d of %d plans %s", done, total, proof(s.phases...))
}

// proof says what shows that the finished plans of some phases are done.
func proof(phases ...*phase) string {
	for _, ph := range phases {
		if slices.ContainsFunc(ph.plans, func(u *planFile) bool { return u.said != "" }) {
			return "are done"
		}
	}
	return "have summaries"
}

func (s description) alternatives(f *sources.Found) []sources.Alternative {
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	if f.State.Open() {
		switch {
		case f.Point.Task != "" && s.phase == nil:
			add(sources.Continue, "continue with %s", f.Point.Task)
		case f.Point.Task != "":
			add(sources.Continue, "%s", f.Point.Title)
		case s.state.There:
			add(sources.Continue, "continue where STATE.md stands")
		default:
			add(sources.Continue, "continue where the work stopped")
		}
		if s.agent.Live() {
			add(sources.ResumeAgent, "resume agent %s yourself, if its own tool can do that", s.agent.ID)
		}
		add(sources.StartFresh, "start fresh: move %s to %s", folder, sources.ArchiveName(folder, "<time>"))
	}
	if files := s.leftovers(); len(files) > 0 {
		add(sources.CleanUp, "remove leftover files: %s", strings.Join(files, ", "))
	}
	return out
}

func (s description) protocol() map[string]any {
	st := &s.state
	out := map[string]any{}
	for key, value := range map[string]string{
		"phase": st.Labels["phase"], "plan": st.Labels["plan"], "status": st.Status, "stopped_at": cmp.Or(st.Labels["stopped_at"], st.Stopped),
		"resume_file": st.resume, "agent_id": s.Agents.Marker,
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

// command returns the slash command with which the user continues the work in the planning system, or "" if the work is closed.
func (s description) command(f *sources.Found) string {
	number := planfolder.LeadingNumber(f.Point.Task)
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
