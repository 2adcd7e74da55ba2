package bmad

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// If a table has at most mostTasks stories, all of them are listed. Otherwise only the stories near the next story are listed: the next
// story, at most "around" stories before it, and fewer than "around" stories after it.
const (
	mostTasks = 2000
	around    = 50
)

func (s *sprint) describe() []sources.Found {
	if !s.ok {
		return s.corrupt()
	}
	if len(s.table.stories) == 0 {
		return nil
	}
	s.compare()
	s.addNamed()
	at := s.point()
	f := sources.Found{Source: name, ID: s.id(), Home: s.Tree.WorkTree, Root: s.file, Calls: calls(at)}
	f.Name, f.State = f.ID, s.state(at)
	s.date(at)
	f.Active, f.From, f.Files = s.Active, s.From, s.Files
	s.addTasks(&f, at)
	s.headline(&f, at)
	s.findings(at)
	f.Doubts = s.Doubts
	f.Alternatives = s.alternatives(at)
	return []sources.Found{f}
}

// corrupt describes a table that cannot be read. It returns nil if the table is only missing.
func (s *sprint) corrupt() []sources.Found {
	if len(s.Doubts) == 0 {
		return nil
	}
	f := sources.Found{Source: name, ID: s.id(), State: sources.Corrupt, Home: s.Tree.WorkTree, Root: s.file, Files: s.Files, Doubts: s.Doubts}
	f.Name, f.Headline = f.ID, s.file+" cannot be read"
	f.Active, _ = s.View.Written(s.Ctx, s.Tree, s.file)
	f.From = "the time of " + path.Base(s.file)
	return []sources.Found{f}
}

// id returns the id of the sprint: the path of the project, or the name of the repository if the project is at its top.
func (s *sprint) id() string {
	if s.under == "" {
		return s.View.Name()
	}
	return strings.TrimSuffix(s.under, "/")
}

// calls returns the names of the story and of the epic at which the work continues, because people often call the work by them.
func calls(at point) (out []string) {
	if at.story == nil {
		return nil
	}
	out = append(out, at.story.key)
	if at.story.epic != nil {
		out = append(out, at.story.epic.key)
	}
	return out
}

// state returns the state of the sprint. Open stories alone are no interruption: at least one story must be started, done, or named by a
// commit.
func (s *sprint) state(at point) sources.State {
	begun := slices.ContainsFunc(s.table.stories, func(st *story) bool { return st.started() || st.named != "" })
	switch {
	case at.story == nil:
		return sources.Complete
	case !begun:
		return sources.NotStarted
	case at.review:
		return sources.Review
	}
	return sources.Interrupted
}

// date finds the time of the last activity: the newest time at which the table, the file of the next story, or the file of a story under
// way was written.
func (s *sprint) date(at point) {
	files := []string{s.file}
	for _, st := range s.table.stories {
		if st.file != "" && (st == at.story || st.started() && !st.closed() && !st.passed) && len(files) < around {
			files = append(files, st.file)
		}
	}
	s.View.Date(s.Ctx, s.Tree, files...)
	for _, file := range files {
		when, _ := s.View.Written(s.Ctx, s.Tree, file)
		s.Saw(when, "the time of "+path.Base(file))
	}
	s.Seen(files...)
}

func (s *sprint) addTasks(f *sources.Found, at point) {
	if at.story != nil {
		f.Point = sources.Point{Task: at.story.key, Title: at.next(), Reason: at.why}
	}
	listed := s.table.stories
	if len(listed) > mostTasks {
		i := 0
		if at.story != nil {
			i = at.story.order
		}
		listed = listed[max(0, i-around):min(len(listed), i+around)]
		s.Doubts.Add("tasks-counted", info, s.file, "there are %d stories; only the %d around the next one are listed", len(s.table.stories)+s.table.cut, len(listed))
	}
	for _, st := range listed {
		one := sources.Task{ID: st.key, Title: st.title, State: st.state(), Raw: st.raw, Evidence: fmt.Sprintf("%s:%d", s.file, st.line), Overtaken: st.passed && st != at.story}
		one.Optional = sources.FoldWord(st.raw) == "optional"
		if st.epic != nil {
			one.Phase = st.epic.key
		}
		if st.file != "" {
			one.Files = []string{st.file}
		}
		if one.Commit = st.named; st.named != "" {
			one.Evidence += "; commit " + st.named.Short() + " names this story and is newer than the last change of that file"
		}
		f.Tasks = append(f.Tasks, one)
	}
}

// headline sets the texts about the progress of the work, and the command that continues it.
func (s *sprint) headline(f *sources.Found, at point) {
	done, total := 0, 0
	for _, st := range s.table.stories {
		if st.means == sources.MeansDone {
			done++
		}
		if st.means != sources.MeansClosed {
			total++
		}
	}
	f.Headline = fmt.Sprintf("%d of %d stories are done", done, total)
	f.Stands = fmt.Sprintf("%d of %d done", done, total)
	f.Protocol = map[string]any{"table": s.file, "completed": done, "total": total}
	if at.story == nil {
		return
	}
	f.Listed = "story " + dotted(at.story)
	f.Stands = f.Listed + ", " + f.Stands
	switch {
	case at.review:
		f.Headline += "; " + at.story.label() + " waits for a review"
	case at.story.active():
		f.Headline += "; " + at.story.label() + " is in progress"
	default:
		f.Headline += "; next is " + at.story.label()
	}
	if at.story.file != "" {
		f.Context = append(f.Context, "the story is in "+at.story.file)
	}
	f.Command = command(at)
}

// dotted returns the number of a story with a dot, such as 1.2, or the key of the story if it has no number.
func dotted(st *story) string {
	if st.number == "" {
		return textdoc.Shorten(st.key, 40)
	}
	return strings.ReplaceAll(st.number, "-", ".")
}

// command returns the BMAD command that continues the work. People type this command to an agent.
func command(at point) string {
	verb := "/bmad-dev-story"
	switch {
	case at.review:
		verb = "/bmad-code-review"
	case at.story.file == "" && !at.story.started():
		verb = "/bmad-create-story"
	}
	return quote.Command(verb+" %s", at.story.key)
}

// findings adds warnings about stories that were passed over, about several stories in progress, and about unknown words. It also warns
// if BMAD itself would continue with another story.
func (s *sprint) findings(at point) {
	var active, passed []string
	for _, st := range s.table.stories {
		switch {
		case st.passed && st.started():
			passed = append(passed, st.key)
		case st.active():
			active = append(active, st.key)
		}
		if st.state() == sources.TaskUnknown {
			s.Doubts.About(sources.DoubtUnknownWord, info, s.file, "has the unknown status '%s' for %s; it counts as open", textdoc.Shorten(textdoc.OneLine(st.raw), 40), st.key)
		}
	}
	if len(active) > 1 {
		s.Doubts.Add("several-in-progress", info, s.file, "%d stories are in progress: %s", len(active), sources.SomeOf(active))
	}
	if len(passed) > 0 {
		s.Doubts.Add(sources.DoubtSkippedOver, info, s.file, "%s left open, although later stories were started or the epic is done: %s", sources.Count(len(passed), "story was", "stories were"), sources.SomeOf(passed))
	}
	if own := s.ownNext(); at.story != nil && own != nil && own != at.story {
		s.Doubts.Add(sources.DoubtOwnCheck, info, "", "BMAD itself would take %s: it goes by status and by the order of the table", own.key)
	}
}

// ownNext returns the story that the commands of BMAD would take: the first one that is in progress, otherwise the first one in review,
// otherwise the first one that is ready, otherwise the first one of the backlog. These commands look only at the status words
// in the table, not at the story files.
func (s *sprint) ownNext() *story {
	for _, words := range [][]string{{"in-progress"}, {"review"}, {"ready-for-dev", "drafted"}, {"backlog"}} {
		if i := slices.IndexFunc(s.table.stories, func(st *story) bool { return slices.Contains(words, st.raw) }); i >= 0 {
			return s.table.stories[i]
		}
	}
	return nil
}

func (s *sprint) alternatives(at point) []sources.Alternative {
	if at.story == nil {
		return nil
	}
	var out []sources.Alternative
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	add(sources.Continue, "continue with %s", at.story.label())
	if slices.ContainsFunc(s.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtFallback }) {
		return out // an older version of the table was read, so the table must not be edited
	}
	add(sources.SkipUnit, "mark %s as done without carrying it out, and continue with the next story", at.story.key)
	if at.story.state() == checkpoint.Active || at.review {
		add(sources.RestartUnit, "set %s back to ready-for-dev; its boxes stay as they are", at.story.key)
	}
	return out
}
