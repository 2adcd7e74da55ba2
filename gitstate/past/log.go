package past

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Logged is one commit in a list of commits.
type Logged struct {
	ID      object.ID
	When    time.Time
	Author  string
	Subject string
}

// FileLog lists the commits in the history of a tip that changed any of the paths, newest first. The number "most" limits how many it
// lists. If no paths are given, it lists all commits of the history.
func FileLog(ctx context.Context, r *gitstate.Repo, tip string, most int, paths ...string) ([]Logged, error) {
	args := []string{"log", "-z", "-n", strconv.Itoa(most), "--format=tformat:%H%x00%ct%x00%an%x00%s", "--no-show-signature",
		"--no-notes", "--no-color", "--end-of-options", tip, "--"}
	out, err := r.Git(ctx, process.Call{Args: append(args, paths...), Env: literalPaths})
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", tip, err)
	}
	var all []Logged
	for f := strings.Split(string(out), "\x00"); len(f) >= 4; f = f[4:] {
		all = append(all, logged(f))
	}
	return all, nil
}

// Step is a commit in the history of some tips that is not in the history of the base.
type Step struct {
	Logged
	Parents []object.ID
	// Paths are the files that the commit changed. For a merge they are empty.
	Paths []string
}

// Beyond returns the commits that the tips have and the base does not have, newest first, but at most the given number. Every tip must
// exist. If fewer commits than that are returned, the base contains every tip that is not among them.
func Beyond(ctx context.Context, r *gitstate.Repo, base object.ID, most int, tips ...object.ID) ([]Step, error) {
	var ids strings.Builder
	for _, t := range tips {
		fmt.Fprintln(&ids, t)
	}
	if base != "" {
		fmt.Fprintln(&ids, "^"+base)
	}
	out, err := r.Git(ctx, process.Call{Stdin: strings.NewReader(ids.String()), Args: []string{"log", "-z", "-n", strconv.Itoa(most), "--stdin", "--name-only", "--no-renames",
		"--format=tformat:%x01%H%x00%ct%x00%an%x00%s%x00%P", "--no-show-signature", "--no-notes", "--no-color"}})
	if err != nil {
		what := "list the commits"
		if base != "" {
			what += " that are not in " + string(base)
		}
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var all []Step
	for f := strings.Split(string(out), "\x00"); len(f) >= 5; {
		f[0] = strings.TrimPrefix(f[0], "\x01")
		s := Step{Logged: logged(f)}
		for id := range strings.FieldsSeq(f[4]) {
			s.Parents = append(s.Parents, object.ID(id))
		}
		for f = f[5:]; len(f) > 0 && !strings.HasPrefix(f[0], "\x01"); f = f[1:] {
			if path := strings.TrimPrefix(f[0], "\n"); path != "" {
				s.Paths = append(s.Paths, path)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

func logged(f []string) Logged {
	return Logged{ID: object.ID(f[0]), When: parseUnix(f[1]), Author: f[2], Subject: f[3]}
}
