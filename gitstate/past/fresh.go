package past

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/store"
)

// mostFresh limits how many commits of one list are read from loose object files. For more commits a git process takes less time.
const mostFresh = 64

// freshCommits reads new commits from loose object files, where git keeps them until it packs them. Most questions are about the newest
// commits, and starting git would take longer than reading these few files.
type freshCommits struct {
	files *store.Loose
	// left is how many commits may still be read.
	left int
}

// newFresh prepares to read new commits from loose object files. It returns nil if git must read the whole history, for example because the
// clone is shallow.
func newFresh(ctx context.Context, r *gitstate.Repo) *freshCommits {
	if files := r.Objects.Loose(ctx); files != nil && wholeHistory(r) {
		return &freshCommits{files, mostFresh}
	}
	return nil
}

// read returns false if git must read the commit. That is so if the commit is packed, or if as many commits as allowed were already read.
func (f *freshCommits) read(id object.ID) (object.Commit, bool) {
	if f.left--; f.left < 0 {
		return object.Commit{}, false
	}
	o, ok := f.files.Read(string(id), store.Wanted{Kinds: []string{"commit"}})
	if !ok || bytes.IndexByte(o.Data, 0) >= 0 || bytes.Contains(o.Data, []byte("\nencoding ")) {
		return object.Commit{}, false
	}
	c, err := object.ParseCommit(o)
	return c, err == nil
}

// splitMessage returns the subject and the body of a message, as git's formats %s and %b do. The subject is the first paragraph in one line.
func splitMessage(text string) (subject, body string) {
	text = skipBlank(text)
	var lines []string
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		if line = trimEnd(line); line == "" {
			break
		}
		lines, text = append(lines, line), rest
	}
	return strings.Join(lines, " "), skipBlank(text)
}

// skipBlank removes the lines at the beginning that contain only blanks.
func skipBlank(text string) string {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		if trimEnd(line) != "" {
			break
		}
		text = rest
	}
	return text
}

// trimEnd removes the blanks at the end of a line, that is, all characters that git treats as blanks.
func trimEnd(line string) string { return strings.TrimRight(line, " \t\r\n") }

// freshMessages lists commits in the order of 'git log', as long as they can be read from loose object files.
type freshMessages struct {
	*freshCommits
	// The commits in "waiting" come next, the newest first. Of commits with the same time, the one that was found first comes first.
	waiting []object.Commit
	known   map[object.ID]bool
	// The field "last" has the parents of the commit that was returned last.
	last []object.ID
	// The commits in "unread" must be read by git.
	unread []object.ID
}

// newFreshMessages prepares to list the commits of all branches and of the tips. It returns nil if git must list all these commits.
func newFreshMessages(ctx context.Context, r *gitstate.Repo, tips []object.ID) *freshMessages {
	m := &freshMessages{freshCommits: newFresh(ctx, r), known: map[object.ID]bool{}}
	if m.freshCommits == nil {
		return nil
	}
	names, err := r.Refs.Names(ctx, string(refs.Branch("")))
	if err != nil || len(names) > mostFresh {
		return nil
	}
	branches := make([]refs.Name, len(names))
	for i, n := range names {
		branches[i] = refs.Branch(n)
	}
	from, err := r.Refs.All(ctx, branches...)
	from = slices.DeleteFunc(from, func(id object.ID) bool { return id == "" })
	if err != nil || !m.add(append(from, tips...)) {
		return nil
	}
	return m
}

// add queues commits. It returns false if git must read one of them.
func (m *freshMessages) add(ids []object.ID) bool {
	for _, id := range ids {
		if m.known[id] {
			continue
		}
		m.known[id] = true
		c, ok := m.read(id)
		if !ok {
			m.unread = append(m.unread, id)
			continue
		}
		at := len(m.waiting)
		for at > 0 && m.waiting[at-1].Committer.When.Before(c.Committer.When) {
			at--
		}
		m.waiting = slices.Insert(m.waiting, at, c)
	}
	return len(m.unread) == 0
}

// errLeftToGit says that a git process must list the remaining commits, for example because the next commit is not in a loose object file.
// The callers start this process, so nobody sees the text of the error.
var errLeftToGit = errors.New("git must list the remaining commits, because git-resume cannot read them itself")

// next returns the next commit, io.EOF after the last one, or errLeftToGit if git must list the rest.
func (m *freshMessages) next() (Described, error) {
	if !m.add(m.last) {
		return Described{}, errLeftToGit
	}
	if len(m.waiting) == 0 {
		return Described{}, io.EOF
	}
	c := m.waiting[0]
	m.waiting, m.last = m.waiting[1:], c.Parents
	subject, body := splitMessage(c.Message)
	return Described{
		Logged:  Logged{c.ID, c.Committer.When.UTC(), c.Author.Name, subject[:min(len(subject), maxBody)]},
		Body:    body[:min(len(body), maxBody)],
		Parents: c.Parents,
	}, nil
}

// rest returns the commits from which git must continue, and those that it must leave out because they were returned already.
func (m *freshMessages) rest() (from []object.ID, done map[object.ID]bool) {
	for _, c := range m.waiting {
		from = append(from, c.ID)
	}
	from = append(from, m.unread...)
	for _, id := range from {
		delete(m.known, id)
	}
	return from, m.known
}

// freshTouches lists the commits that changed some paths, along a history without merges. It stops at the first commit that cannot be read
// from a loose object file.
type freshTouches struct {
	*freshCommits
	paths []string
	// The field "at" is the id of the next commit. It is empty after the oldest commit of the history.
	at object.ID
	// The field "ahead" has the content of the next commit, if it was read already.
	ahead *object.Commit
}

// next returns the next commit, io.EOF after the last one, or errLeftToGit if git must continue from the commit f.at.
func (f *freshTouches) next() (Touch, error) {
	for f.at != "" {
		c, ok := f.commit()
		if !ok || len(c.Parents) > 1 {
			return Touch{}, errLeftToGit
		}
		var before object.Commit
		if len(c.Parents) == 1 {
			if before, ok = f.read(c.Parents[0]); !ok {
				return Touch{}, errLeftToGit
			}
		}
		w := treeWalk{read: f.trees, leaveOut: f.leaveOut}
		if err := w.compare(before.Tree, c.Tree); err != nil {
			return Touch{}, errLeftToGit
		}
		f.at, f.ahead = before.ID, &before
		if len(w.out) > 0 {
			subject, _ := splitMessage(c.Message)
			author := c.Author
			author.When = author.When.UTC()
			return Touch{ID: c.ID, Author: author, Made: c.Committer.When.UTC(), Subject: subject, Changes: w.out}, nil
		}
	}
	return Touch{}, io.EOF
}

func (f *freshTouches) commit() (object.Commit, bool) {
	if f.ahead != nil {
		return *f.ahead, true
	}
	return f.read(f.at)
}

func (f *freshTouches) trees(names []string, do func(int, object.Object) error) error {
	for i, name := range names {
		o, ok := f.files.Read(name, wantTrees)
		if !ok {
			return errLeftToGit
		}
		if err := do(i, o); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut reports whether a file or directory has nothing to do with the paths.
func (f *freshTouches) leaveOut(name string, dir bool) bool {
	return !slices.ContainsFunc(f.paths, func(p string) bool {
		p, onlyDir := strings.CutSuffix(p, "/")
		if name == p {
			return dir || !onlyDir
		}
		return strings.HasPrefix(name, p+"/") || dir && strings.HasPrefix(p, name+"/")
	})
}
