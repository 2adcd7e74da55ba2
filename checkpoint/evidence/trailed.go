package evidence

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
)

// History searches commits for the trailers of runs.
type History struct {
	Repo *gitstate.Repo
	// The map "searched" holds the commits that earlier searches found, by the range that was searched. If only the commits of one run were
	// searched for in a range, the value is nil.
	searched map[string][]object.Commit
}

// Contains reports whether "old" is an ancestor of the commit "tip". If tip has no parents, which is usual for journals, Contains returns
// false without a search.
func (h *History) Contains(ctx context.Context, tip, old object.ID) bool {
	c, err := h.Repo.Objects.Commit(ctx, string(tip))
	if err != nil || len(c.Parents) == 0 {
		return false
	}
	if slices.Contains(c.Parents, old) {
		return true
	}
	within, err := past.IsAncestor(ctx, h.Repo, old, tip)
	return err == nil && within
}

// maxHistory limits how many commits a search reads if its range has no lower end. Otherwise it limits only the number of results.
const maxHistory = 20_000

// Trailed returns what the trailers of a range of commits say about a run, oldest first. A squashed commit can give several entries.
func (h *History) Trailed(ctx context.Context, id checkpoint.RunID, revs ...string) ([]checkpoint.Evidence, error) {
	key := strings.Join(revs, " ")
	if h.searched == nil {
		h.searched = map[string][]object.Commit{}
	}
	commits, asked := h.searched[key]
	word := string(id)
	if asked && commits == nil {
		word = "" // the first search of this range found only the commits of one run, so search now for all runs at once
	}
	if commits == nil {
		var err error
		if commits, err = h.search(ctx, checkpoint.TrailerRun+": "+word, revs); err != nil {
			return nil, fmt.Errorf("look for commits of run '%s': %w", id, err)
		}
		if h.searched[key] = nil; word == "" {
			h.searched[key] = append(make([]object.Commit, 0), commits...)
		}
	}
	var found []checkpoint.Evidence
	for _, c := range commits {
		found = append(found, checkpoint.EvidenceOf(c, id)...)
	}
	return found, nil
}

// search lists the commits whose message contains a text, oldest first.
func (h *History) search(ctx context.Context, text string, revs []string) ([]object.Commit, error) {
	args := []string{"log", "--no-show-signature", "--no-color", "--encoding=UTF-8", "-z", "--format=raw", "--fixed-strings", "--grep=" + text}
	call := process.Call{Args: append(append(append(args, "--reverse", fmt.Sprintf("--max-count=%d", maxHistory)), revs...), "--")}
	if !slices.ContainsFunc(revs, func(rev string) bool { return strings.HasPrefix(rev, "^") }) {
		// The range has no lower end, so git would search the whole history, because --max-count limits only the results. Search only the
		// newest commits, which this command lists.
		list, err := h.Repo.Git(ctx, process.Call{Args: append(append([]string{"rev-list", fmt.Sprintf("--max-count=%d", maxHistory), "--reverse"}, revs...), "--")})
		if err != nil || len(list) == 0 {
			return nil, err
		}
		call = process.Call{Args: append(args, "--no-walk=unsorted", "--stdin"), Stdin: bytes.NewReader(list)}
	}
	out, err := h.Repo.Git(ctx, call)
	if err != nil {
		return nil, err
	}
	var found []object.Commit
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if c, ok := parseRaw(rec); ok {
			found = append(found, c)
		}
	}
	return found, nil
}

// parseRaw parses one record of "git log --format=raw". The bool is false if the record is not valid.
func parseRaw(rec string) (object.Commit, bool) {
	first, text, _ := strings.Cut(rec, "\n")
	id, ok := strings.CutPrefix(first, "commit ")
	head, body, _ := strings.Cut(text, "\n\n")
	msg := bytes.NewBufferString(head + "\n\n")
	for line := range strings.Lines(body) {
		msg.WriteString(strings.TrimPrefix(line, "    "))
	}
	c, err := object.ParseCommit(object.Object{ID: object.ID(id), Type: "commit", Data: msg.Bytes()})
	c.Committer.When = c.Committer.When.UTC()
	return c, ok && err == nil
}

// maxExamined limits how many commits of a branch are examined one by one.
const maxExamined = 2000

// log lists at most maxExamined commits, newest first. The user's log settings have no effect on it.
func (h *History) log(ctx context.Context, revs ...string) ([]object.Commit, error) {
	args := append([]string{"log", "--no-show-signature", "--no-color", "--encoding=UTF-8", "-z", "--format=raw",
		fmt.Sprintf("--max-count=%d", maxExamined)}, revs...)
	out, err := h.Repo.Git(ctx, process.Call{Args: append(args, "--")})
	if err != nil {
		return nil, fmt.Errorf("read the history of the branch: %w", err)
	}
	var commits []object.Commit
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if c, ok := parseRaw(rec); ok {
			commits = append(commits, c)
		}
	}
	return commits, nil
}

// Between lists the commits that are in the history of "to" but not in that of "from", newest first. If the commit "from" does not exist,
// it lists the whole history of "to". It lists at most as many commits as the last argument says.
func (h *History) Between(ctx context.Context, from, to object.ID, most int) ([]object.Commit, error) {
	revs := []string{string(to)}
	if _, err := h.Repo.Objects.Commit(ctx, string(from)); err == nil {
		revs = append(revs, "^"+string(from))
	}
	all, err := h.log(ctx, revs...)
	return all[:min(most, len(all))], err
}
