package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// ErrNoMergeTree is returned if git is older than 2.38. Such a git cannot merge without a worktree.
var ErrNoMergeTree = errors.New("this git has no 'merge-tree --write-tree' (new in git 2.38)")

// ErrUnrelated is returned if two commits have no common ancestor in this repository.
var ErrUnrelated = errors.New("no common ancestor")

// ErrShallow is ErrUnrelated in a shallow clone, which may lack the common ancestor.
var ErrShallow = fmt.Errorf("%w in this shallow clone", ErrUnrelated)

// Stage is one version of a path that could not be merged. The number is 1 for the base, 2 for ours and 3 for theirs.
type Stage struct {
	Number int
	Mode   uint32
	ID     object.ID
	Path   string
}

// Message is one message of git about a merge. The field Type is the same in all versions of git; the field Text is for people.
type Message struct {
	Paths []string
	Type  string
	Text  string
}

// Merged is the result of a merge.
type Merged struct {
	Clean    bool
	Tree     object.ID
	Stages   []Stage
	Messages []Message
}

var mergeSettings = []string{
	// With the style diff3, a conflict would also contain lines that are equal on both sides.
	"-c", "merge.conflictStyle=merge",
	// The objects of a trial merge are temporary, so they need not be compressed or durable.
	"-c", "core.looseCompression=0", "-c", "core.createObject=rename", "-c", "core.fsync=none",
}

// StartMerge starts the git process for the first Merge, so that it is ready as soon as the two commits are known. It is of no use with git
// before 2.39, which cannot read the commits from its input. With such a git, Merge starts another process.
func (s *Scratch) StartMerge(ctx context.Context) {
	s.merger = make(chan *process.Talk, 1)
	go func() {
		defer close(s.merger)
		// Although --stdin implies -z, we pass both. Git before 2.38 has no --stdin: it would read three arguments as three trees, but with
		// four it reports a usage error.
		args := slices.Concat(mergeSettings, []string{"merge-tree", "--write-tree", "--messages", "-z", "--stdin"})
		if t, err := s.Repo.Stream(ctx, process.Call{Args: args}); err == nil { // after an error, Merge reports why git does not start
			s.merger <- t
		}
	}()
}

// Merge merges two commits without touching any worktree or index. The resulting tree and its new files exist only in the temporary store.
// It returns ErrNoMergeTree if git is too old, and ErrUnrelated if there is no common ancestor.
func (s *Scratch) Merge(ctx context.Context, ours, theirs string) (Merged, error) {
	if !strings.ContainsAny(ours+theirs, " \n") { // a blank or a newline would end a name in the input of the waiting process
		if m, err := s.mergeByWaiting(ctx, ours, theirs); !errors.Is(err, ErrNoMergeTree) {
			return m, err
		}
	}
	// With --messages, git also lists the files that both sides changed, even if the merge is clean.
	args := []string{"merge-tree", "--write-tree", "-z", "--messages", ours, theirs}
	out, err := s.Repo.Git(ctx, process.Call{Args: slices.Concat(mergeSettings, args)})
	return readMerge(out, err, args)
}

// mergeByWaiting merges with the git process that StartMerge has started. It returns ErrNoMergeTree if there is no such process, or if git
// does not know its options.
func (s *Scratch) mergeByWaiting(ctx context.Context, ours, theirs string) (Merged, error) {
	t := s.waiting()
	if t == nil {
		return Merged{}, ErrNoMergeTree
	}
	out, err := t.Finish(ctx, ours+" "+theirs+"\n")
	status, out, _ := bytes.Cut(out, []byte{0}) // the status is 1 if the merge is clean, and 0 if there are conflicts
	m, err := readMerge(out, err, []string{"merge-tree", ours, theirs})
	m.Clean = m.Clean && string(status) == "1"
	return m, err
}

// waiting returns the process that StartMerge has started. It returns nil if there is none, or if it was used already.
func (s *Scratch) waiting() *process.Talk {
	if s.merger == nil {
		return nil
	}
	return <-s.merger
}

// Paths lists the paths that could not be merged, each once and in order.
func (m *Merged) Paths() (out []string) {
	for _, s := range m.Stages {
		out = append(out, s.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// readMerge reads the answer of "git merge-tree" to the given arguments.
func readMerge(out []byte, err error, args []string) (Merged, error) {
	ours, theirs := args[len(args)-2], args[len(args)-1]
	var git *process.Error
	switch {
	case err == nil:
	case !errors.As(err, &git):
		return Merged{}, err
	case git.Code == 129:
		return Merged{}, ErrNoMergeTree
	case strings.Contains(git.Text, "unrelated histories"):
		return Merged{}, ErrUnrelated
	case git.Code != 1 || len(out) == 0:
		git.Args = args // so that the error message shows the command without the "-c" settings
		return Merged{}, fmt.Errorf("merge %s and %s: %w", ours, theirs, err)
	}
	m, err := parseMerge(string(out))
	m.Clean = git == nil
	return m, err
}

// parseMerge reads "TREE NUL (MODE ID STAGE TAB PATH NUL)* NUL (COUNT NUL PATHS TYPE NUL TEXT NUL)*".
func parseMerge(text string) (Merged, error) {
	f := strings.Split(text, "\x00")
	if len(f) < 2 || !object.IsID(f[0]) {
		return Merged{}, fmt.Errorf("cannot understand the output of git merge-tree, which begins with %q", firstBytes(text))
	}
	m := Merged{Tree: object.ID(f[0])}
	f = f[1:]
	for len(f) > 0 && f[0] != "" {
		st, ok := parseStage(f[0])
		if !ok {
			return Merged{}, fmt.Errorf("cannot understand a record in the output of git merge-tree: %q", f[0])
		}
		m.Stages = append(m.Stages, st)
		f = f[1:]
	}
	if len(f) > 0 {
		f = f[1:]
	}
	for len(f) > 0 && f[0] != "" {
		n, err := strconv.Atoi(f[0])
		if err != nil || n < 0 || len(f) < n+3 {
			break // git prints advice about submodules after the records
		}
		m.Messages = append(m.Messages, Message{Paths: f[1 : n+1], Type: f[n+1], Text: strings.TrimRight(f[n+2], "\n")})
		f = f[n+3:]
	}
	return m, nil
}

func parseStage(rec string) (Stage, bool) {
	head, path, ok := strings.Cut(rec, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 3 || !object.IsID(f[1]) {
		return Stage{}, false
	}
	mode, err := strconv.ParseUint(f[0], 8, 32)
	n, err2 := strconv.Atoi(f[2])
	if err != nil || err2 != nil || n < 1 || n > 3 {
		return Stage{}, false
	}
	return Stage{Number: n, Mode: uint32(mode), ID: object.ID(f[1]), Path: path}, true
}

func firstBytes(s string) string { return s[:min(len(s), 80)] }
