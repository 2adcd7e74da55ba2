package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// rewriteWithoutTrailers copies the run's commits that the base lacks, but leaves out the Resume trailers. It returns the last copy, or the
// tip itself if there is nothing to copy.
func (e *Merger) rewriteWithoutTrailers(ctx context.Context, r *checkpoint.Run) (object.ID, error) {
	list, err := e.Repo.Line(ctx, "rev-list", "--reverse", "--topo-order", string(r.Branch), "^"+string(refs.Branch(r.Base.Name)))
	if err != nil {
		return "", fmt.Errorf("list the run's commits: %w", err)
	}
	made := map[object.ID]object.ID{}
	tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil {
		return "", err
	}
	for id := range strings.FieldsSeq(list) {
		c, err := e.Repo.Objects.Commit(ctx, id)
		if err != nil {
			return "", err
		}
		if made[c.ID], err = e.withoutTrailers(ctx, c, made); err != nil {
			return "", err
		}
	}
	if now, ok := made[tip]; ok {
		return now, nil
	}
	return tip, nil
}

func (e *Merger) withoutTrailers(ctx context.Context, c object.Commit, made map[object.ID]object.ID) (object.ID, error) {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", string(c.Tree)}
	for _, p := range c.Parents {
		if now, ok := made[p]; ok {
			p = now
		}
		args = append(args, "-p", string(p))
	}
	date := func(s object.Signature) string { return fmt.Sprintf("@%d %s", s.When.Unix(), s.When.Format("-0700")) }
	out, err := e.Repo.Git(ctx, process.Call{
		Args: args, Mode: process.Write, Stdin: strings.NewReader(stripTrailers(c.Message)),
		Env: []string{
			"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email, "GIT_AUTHOR_DATE=" + date(c.Author),
			"GIT_COMMITTER_NAME=" + c.Committer.Name, "GIT_COMMITTER_EMAIL=" + c.Committer.Email, "GIT_COMMITTER_DATE=" + date(c.Committer),
		},
	})
	if err != nil {
		return "", fmt.Errorf("write a commit without trailers: %w", err)
	}
	return object.ID(strings.TrimSpace(string(out))), nil
}

func stripTrailers(message string) string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		key, _, _ := strings.Cut(line, ":")
		if key != checkpoint.TrailerRun && key != checkpoint.TrailerTask && key != checkpoint.TrailerState {
			out = append(out, line)
		}
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"
}
