package merge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/quote"
)

// squashed is the text in the journal of a merge that added a single commit. Older versions also wrote "no-ff" and "ff-only".
const squashed = "squash"

// options returns the options of "git merge". They override --squash and --no-commit, which the user may have set in
// branch.<base>.mergeOptions. Otherwise git would make no commit.
func (q *Request) options() []string {
	out := []string{"--no-squash", "--commit", "--cleanup=whitespace"}
	if q.Squash {
		return append(out, "--ff-only") // the base only moves forward to the commit of the squash
	}
	return out
}

// maxTaskLines limits how many tasks the message of a merge lists.
const maxTaskLines = 100

// maxTitle limits the length of a task's title in the message of a merge.
const maxTitle = 100

// describe returns a request with the message for the commit that the merge makes. The message lists at most maxTaskLines of the merged
// tasks.
func (m *mergeAttempt) describe(ctx context.Context) (commit.Request, error) {
	q := commit.Request{Run: m.run.ID, SignWithin: commit.SignWithin, NoTrailers: m.request.Strip}
	config, err := m.tree.Settings.Config(ctx)
	if err != nil {
		return q, err
	}
	q.NoTrailers = q.NoTrailers || !config.Bool("resume.trailers", true)
	tasks := m.newTasks(ctx)
	var lines []string
	for i, t := range tasks {
		if t.State == checkpoint.Done && m.request.Squash {
			q.Also = append(q.Also, t.ID)
		}
		if i < maxTaskLines {
			lines = append(lines, taskLine(t))
		}
	}
	if more := len(tasks) - maxTaskLines; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	subject, text, _ := strings.Cut(m.subject(tasks), "\n")
	q.Subject = subject
	q.Body = strings.Trim(strings.TrimSpace(text)+"\n\n"+strings.Join(lines, "\n"), "\n")
	return q, nil
}

// subject returns the user's whole message or, if there is none, a subject line for the merge.
func (m *mergeAttempt) subject(tasks []checkpoint.Task) string {
	name := quote.Clean(m.run.Name)
	switch {
	case m.request.Message != "":
		return m.request.Message
	case !m.request.Squash:
		return fmt.Sprintf("Merge run '%s' (%s)", name, m.run.ID)
	case len(tasks) == 1:
		return name + ": 1 task"
	case len(tasks) == 0:
		return name
	}
	return fmt.Sprintf("%s: %d tasks", name, len(tasks))
}

// taskLine describes a task in the message of a merge.
func taskLine(t checkpoint.Task) string {
	line := "- " + quote.Clean(string(t.ID))
	if title := []rune(quote.Clean(t.Title)); len(title) > maxTitle {
		line += ": " + string(title[:maxTitle]) + "…"
	} else if text := string(title); text != "" && text != string(t.ID) {
		line += ": " + text
	}
	switch {
	case t.State == checkpoint.Skipped:
		line += " (skipped)"
	case t.State == checkpoint.Failed:
		line += " (failed)"
	case !t.State.Closed():
		line += " (not finished)"
	}
	return line
}

// newTasks lists the run's tasks, except those whose commits an earlier merge has brought to the base.
func (m *mergeAttempt) newTasks(ctx context.Context) []checkpoint.Task {
	return slices.DeleteFunc(slices.Clone(m.tasks), func(t checkpoint.Task) bool { return m.mergedBefore(ctx, t) })
}

// mergedBefore reports whether an earlier merge contains the commit of a task. It returns false if the task has no commit, or if the
// commit no longer exists.
func (m *mergeAttempt) mergedBefore(ctx context.Context, t checkpoint.Task) bool {
	return t.Commit != "" && slices.ContainsFunc(m.earlier, func(e checkpoint.Event) bool {
		within, err := past.IsAncestor(ctx, m.tree, t.Commit, e.Merged)
		return e.Merged != "" && err == nil && within
	})
}

func mergeMessage(q commit.Request) string {
	text := q.Subject + "\n"
	if q.Body != "" {
		text += "\n" + q.Body + "\n"
	}
	if q.NoTrailers {
		return text
	}
	return gitstate.AddTrailers(text, gitstate.Trailer{Key: checkpoint.TrailerRun, Value: string(q.Run)})
}

// earlierMerges lists the merges of the run that this clone recorded and that the base still contains, oldest first.
func (m *mergeAttempt) earlierMerges(ctx context.Context) ([]checkpoint.Event, error) {
	lines, err := m.Store.Lines(ctx, m.run.ID)
	if err != nil {
		return nil, err
	}
	var out []checkpoint.Event
	for _, l := range checkpoint.Sorted(lines) {
		if l.Bad || !l.Ours || l.Event.Event != checkpoint.RunMerged || checkpoint.IsUndone(lines, l.Event.ID) {
			continue
		}
		if m.inBase(ctx, l.Event.Commit) {
			out = append(out, l.Event)
		}
	}
	return out, nil
}

// inBase reports whether the base contains a commit. It returns false for a commit that does not exist any more.
func (m *mergeAttempt) inBase(ctx context.Context, id object.ID) bool {
	within, err := past.IsAncestor(ctx, m.tree, id, m.before)
	return err == nil && within
}
