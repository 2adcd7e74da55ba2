package longrun

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// Act returns the changes in long-run's state folder that carry out an action. It never touches the results of the work, such as commits.
func (Source) Act(ctx context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	a := action{run: read(ctx, v, t, f.Root), found: f, wish: w}
	if w.Name != sources.Continue && !f.Offers(w.Name) {
		return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
	}
	switch w.Name {
	case sources.Continue:
		return nil, nil
	case sources.ResumeAgent:
		return a.interrupted()
	case sources.Respawn:
		return a.dismiss()
	case sources.RestartUnit:
		return a.restart()
	case sources.SkipUnit:
		return a.skip()
	case sources.Answer:
		return a.answer()
	case sources.StartFresh:
		return v.Archived(t, f.Root), nil
	case sources.CleanUp:
		return a.cleanUp()
	case sources.Repair:
		return a.repair()
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

type action struct {
	run   *run
	found *sources.Found
	wish  sources.ActionRequest
}

// change describes an edit of one state file. The edit is refused later if somebody has changed the file since it was read.
func (a *action) change(file string, was, now []byte) sources.Change {
	return sources.Change{Tree: a.run.Tree.WorkTree, Path: file, Was: was, Now: now}
}

// cleanUp deletes left-over state files: the marker file of an agent that no longer works, and the incomplete checkpoints of finished or
// skipped plans.
func (a *action) cleanUp() ([]sources.Change, error) {
	s := diagnose(a.run)
	var files []string
	if s.agent.Stale {
		files = append(files, a.run.Agents.MarkerPath)
	}
	for _, u := range s.leftOver() {
		files = append(files, u.check.path)
	}
	return a.run.Tree.TakeAway(files...)
}

// dismiss deletes the marker file, which names the agent at work. It also sets the status of this agent to "interrupted" in the history
// that long-run keeps of its agents.
func (a *action) dismiss() ([]sources.Change, error) {
	out, err := a.interrupted()
	if err != nil {
		return nil, err
	}
	more, err := a.run.Tree.TakeAway(a.run.Agents.MarkerPath)
	return append(out, more...), err
}

// interrupted marks the agent as interrupted in long-run's agent history, if the entry of the agent still says that it works. Long-run does the
// same when it stops, and the resume command of long-run depends on this entry.
func (a *action) interrupted() ([]sources.Change, error) {
	agents := a.run.Agents
	e, ok := agents.Find(agents.Marker)
	if !agents.Marked {
		e, ok = agents.Find(a.found.Session)
	}
	if !ok || !e.AtWork() {
		return nil, nil
	}
	now, err := textdoc.EditJSON(agents.History, textdoc.Edit{Path: append(slices.Clone(e.At), "status"), To: "interrupted"})
	if err != nil {
		return nil, fmt.Errorf("change %s: %w", agents.HistoryPath, err)
	}
	return []sources.Change{a.change(agents.HistoryPath, agents.History, now)}, nil
}

// unit returns the plan that the user named. If the user named none, it returns the plan at the resume point.
func (a *action) unit() (*unit, error) {
	id := cmp.Or(a.wish.Task, a.found.Point.Task)
	if u := a.run.units.find(id); u != nil {
		return u, nil
	}
	return nil, fmt.Errorf("%s has no plan '%s'", a.found.Key(), id)
}

// leave returns the plan to act on, and the file changes that mark the agent as interrupted and delete its marker file.
func (a *action) leave() (*unit, []sources.Change, error) {
	u, err := a.unit()
	if err != nil {
		return nil, nil, err
	}
	out, err := a.dismiss()
	return u, out, err
}

// restart makes long-run start a plan again at its first task: it deletes the plan's checkpoint and summary, and makes it the current plan.
// Commits stay. The agent in the marker file is marked as interrupted, and the marker file is deleted. If the user named no plan, and the
// next plan depends on a skipped plan, restart acts on the skipped one.
func (a *action) restart() ([]sources.Change, error) {
	u, out, err := a.leave()
	if err != nil {
		return nil, err
	}
	if need := a.skippedNeed(u); a.wish.Task == "" && need != nil {
		u = need
	}
	var files []string
	if u.check != nil {
		files = append(files, u.check.path)
	}
	if u.sum != nil {
		files = append(files, u.sum.path)
	}
	more, err := a.run.Tree.TakeAway(files...)
	return append(append(out, more...), a.stand(u)...), err
}

// skippedNeed returns the first skipped plan on which plan u depends, or nil if there is none.
func (a *action) skippedNeed(u *unit) *unit {
	for _, id := range u.plan.Needs {
		if need := a.run.units.find(id); need != nil && need.sum.is("skipped") {
			return need
		}
	}
	return nil
}

// skip marks a plan as skipped in the same way as long-run itself. If the run waits for an answer, skip marks the question and its plan as
// skipped.
func (a *action) skip() ([]sources.Change, error) {
	if q, ok := a.pending(); ok && a.found.State == sources.Waiting {
		return a.skipGroup(q)
	}
	u, out, err := a.leave()
	if err != nil {
		return nil, err
	}
	return a.passOver(out, u, byUser)
}

// passOver writes a summary that marks a plan as skipped. It deletes the plan's checkpoint, because long-run would continue a plan with a
// checkpoint. If STATE.md is at the skipped plan, or at a finished one before it, passOver also changes the current plan there to the next
// open one.
func (a *action) passOver(out []sources.Change, u *unit, reason string) ([]sources.Change, error) {
	out = append(out, a.skipped(u, reason))
	if u.check != nil {
		more, err := a.run.Tree.TakeAway(u.check.path)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	s := diagnose(a.run)
	if at := a.run.units.find(a.run.state.current); at != nil && at != u && s.open(at) {
		return out, nil // another plan is the current one, and it is not done
	}
	if next := s.without(u); next != nil && sources.NaturalOrder(a.run.state.current, u.id) <= 0 {
		out = append(out, a.stand(next)...)
	}
	return out, nil
}

// The method "stand" changes the current plan in STATE.md. The file stays unchanged if it cannot be read, or if the format of the current
// plan in it is unknown.
func (a *action) stand(at *unit) []sources.Change {
	st := &a.run.state
	if !st.OK || st.current == "" || sources.NaturalOrder(st.current, at.id) == 0 {
		return nil
	}
	was, err := a.run.Tree.Read(st.Path)
	if err != nil {
		return nil
	}
	now := st.positionText(string(was), at.id)
	if now == "" {
		return nil
	}
	return []sources.Change{a.change(st.Path, was, []byte(now))}
}

func (a *action) skipped(u *unit, reason string) sources.Change {
	file := a.run.Dir + "/summaries/" + u.id + "-SUMMARY.md"
	var was []byte
	if u.sum != nil {
		file, was = u.sum.path, u.sum.data
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nversion: \"1.0\"\nplan: %s\ntask_group: %s\nstatus: skipped\nreason: %s\ncompleted_at: %s\n---\n\n# Plan %s: skipped\n",
		strconv.Quote(u.id), strconv.Quote(cmp.Or(u.group(), u.title())), reason, a.run.View.Now.UTC().Format("2006-01-02T15:04:05Z"), u.id)
	if u.check != nil && u.check.done > 0 {
		fmt.Fprintf(&b, "\n%s were done before; their commits stay.\n", u.check.tasks())
	}
	return a.change(file, was, []byte(b.String()))
}

func (a *action) pending() (clarification, bool) {
	for _, c := range a.run.asked {
		if c.pending() && (a.wish.Task == "" || a.wish.Task == c.group || a.found.Point.Task == a.wish.Task) {
			return c, true
		}
	}
	return clarification{}, false
}

// skipGroup marks a question in clarifications.md as skipped. It also skips the unfinished plan to which the question belongs, unless this
// plan covers other task groups too.
func (a *action) skipGroup(q clarification) ([]sources.Change, error) {
	edit, err := a.edit(q, map[string]string{"status": "skipped"})
	if err != nil {
		return nil, err
	}
	out := []sources.Change{edit}
	if u := a.run.units.groupOf(q); u != nil && !u.finished() && len(u.groups()) < 2 {
		return a.passOver(out, u, unclear)
	}
	return out, nil
}

// answer writes the user's answer into the pending question in clarifications.md.
func (a *action) answer() ([]sources.Change, error) {
	q, ok := a.pending()
	if !ok {
		return nil, fmt.Errorf("%s has no pending clarification to answer", a.found.Key())
	}
	text := strings.Join(strings.Fields(a.wish.Text), " ")
	if text == "" {
		return nil, fmt.Errorf("the answer to task group %s is empty", q.group)
	}
	edit, err := a.edit(q, map[string]string{"status": "answered", "response": text})
	return []sources.Change{edit}, err
}

// edit changes or adds "Name: value" lines in one entry of clarifications.md, and changes nothing else. It fails if the entry would still
// be pending after that.
func (a *action) edit(q clarification, set map[string]string) (sources.Change, error) {
	file := a.run.clarificationFile()
	was, err := a.run.Tree.Read(file)
	if err != nil {
		return sources.Change{}, err
	}
	now := editEntry(string(was), q, set)
	all, _ := parseClarifications(textdoc.Text([]byte(now)))
	for _, c := range all {
		if c.line == q.line && !c.pending() && (set["response"] == "" || c.response != "") {
			return a.change(file, was, []byte(now)), nil
		}
	}
	return sources.Change{}, fmt.Errorf("%s is not written in a way that lets git-resume change the entry of task group %s; edit it by hand", file, q.group)
}

// editEntry changes or adds "Name: value" lines in one entry of clarifications.md. A new line gets the same formatting as the status
// line.
func editEntry(text string, q clarification, set map[string]string) string {
	lines := strings.SplitAfter(text, "\n")
	if q.columns != nil {
		lines[q.line-1] = editRow(lines[q.line-1], q.columns, set)
		return strings.Join(lines, "")
	}
	yaml := inYAML(strings.Join(lines[q.line-1:min(q.last, len(lines))], ""))
	if yaml && set["response"] != "" {
		set["response"] = yamlText(set["response"])
	}
	end, left := "\n", map[string]bool{"status": true, "response": set["response"] != ""}
	last, like := q.line-1, "**Status:** "
	for i := q.line - 1; i < q.last && i < len(lines); i++ {
		bare := strings.TrimRight(lines[i], "\r\n")
		if strings.HasSuffix(lines[i], "\r\n") {
			end = "\r\n"
		}
		name, _, ok := textdoc.Label(bare)
		if strings.TrimSpace(bare) != "" {
			last = i
		}
		if name == "answer" { // some files write "Answer:" instead of "Response:"
			name = "response"
		}
		value, wanted := set[name]
		if !ok || !wanted || !left[name] {
			continue
		}
		left[name] = false
		start := labelStart(bare)
		if name == "status" {
			if like = start; yaml {
				like = strings.Replace(start, "- ", "  ", 1) // another "-" would start another entry
			}
		}
		lines[i] = start + value + end
	}
	for _, name := range []string{"status", "response"} {
		if left[name] && set[name] != "" {
			if !strings.HasSuffix(lines[last], "\n") {
				lines[last] += end
			}
			lines[last] += relabelled(like, name, text) + set[name] + end
		}
	}
	return strings.Join(lines, "")
}

// editRow changes the cells for the status and for the answer in a row of a table.
func editRow(row string, columns []string, set map[string]string) string {
	var cells []string
	from := 0
	for i := range len(row) {
		if row[i] == '|' && (i == 0 || row[i-1] != '\\') {
			cells, from = append(cells, row[from:i]), i+1
		}
	}
	cells = append(cells, row[from:])
	for i, column := range columns {
		name := strings.ToLower(column)
		if slices.Contains(responseWords, name) {
			name = "response"
		}
		if value := set[name]; value != "" && i+1 < len(cells)-1 { // the first and the last part are outside of the row
			cells[i+1] = " " + strings.ReplaceAll(value, "|", `\|`) + " "
		}
	}
	return strings.Join(cells, "|")
}

// inYAML reports whether an entry of clarifications.md is YAML.
func inYAML(entry string) bool {
	v, err := yamldoc.Parse([]byte(unfenced(entry)))
	for ; err == nil; v = v.Items()[0] {
		if v.Get("status").Is() && v.Get("question").Is() {
			return true
		}
		if fields := v.Fields(); len(fields) == 1 { // a list below its name
			v = fields[0].Value
		}
		if !v.IsList() || len(v.Items()) == 0 {
			break
		}
	}
	return false
}

// yamlText puts a text in quotes if it would mean something else in YAML without them.
func yamlText(text string) string {
	if v, err := yamldoc.Parse([]byte("x: " + text)); err == nil && v.Get("x").Text() == text {
		return text
	}
	return strconv.Quote(text)
}

// labelStart returns a "Name: value" line without its value. For example, "- Status: pending" gives "- Status: ".
func labelStart(line string) string {
	_, value, _ := textdoc.Label(line)
	start := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, " \t"), value), " \t")
	return start + " "
}

// relabelled replaces the word "Status" in the start of a status line with another name. If the file calls all its responses "Answer", the
// name "response" becomes "answer" too.
func relabelled(status, name, file string) string {
	if name == "response" && hasAnswers(file) {
		name = "answer"
	}
	at := strings.Index(strings.ToLower(status), "status")
	if status[at] == 'S' {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return status[:at] + name + status[at+len("status"):]
}

// hasAnswers reports whether the file uses the name "Answer:" for responses, and never "Response:".
func hasAnswers(file string) bool {
	labels := textdoc.Labels(textdoc.Visible(unfenced(file)))
	_, answer := labels["answer"]
	_, response := labels["response"]
	return answer && !response
}

// repair completes interrupted writes. A complete temporary file replaces its state file, unless the state file is newer. A missing state
// file is created.
func (a *action) repair() ([]sources.Change, error) {
	var out []sources.Change
	for _, t := range a.run.temps {
		if !t.good || path.Dir(t.of) != path.Dir(t.path) {
			continue
		}
		now, err := a.run.Tree.Read(t.path)
		if err != nil {
			return nil, err
		}
		was, err := a.run.Tree.Read(t.of)
		if err != nil && a.run.Tree.Has(t.of) {
			return nil, err
		}
		out = append(out, a.change(t.of, was, now), sources.Change{Tree: a.run.Tree.WorkTree, Path: t.path, Was: now, Gone: true})
	}
	return out, nil
}
