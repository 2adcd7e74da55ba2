package past

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// stream is a running 'git log' whose output is read only as far as somebody needs it. To read a whole history would take long, and most
// questions are answered by the newest commits.
type stream struct {
	talk *process.Talk
	out  *bufio.Reader
	// The field "over" says why there is nothing more to read. It is nil until the end is reached.
	over error
}

func openStream(ctx context.Context, r *gitstate.Repo, args []string) (*stream, error) {
	talk, err := r.Stream(ctx, process.Call{Args: args, Env: literalPaths})
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	return &stream{talk: talk, out: talk.Out}, nil
}

// field returns the next field, without the NUL byte that ends it. At most the given number of bytes are kept. The error is io.EOF at the
// end of the list.
func (s *stream) field(most int) (string, error) {
	if s.over != nil {
		return "", s.over
	}
	if s.talk != nil && s.out.Buffered() == 0 {
		defer s.talk.Await()()
	}
	var text []byte
	for {
		part, err := s.out.ReadSlice(0)
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		text = append(text, part[:min(len(part), most-len(text))]...)
		switch {
		case whole:
			return string(text), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			s.over = s.end(err)
			return "", s.over
		}
	}
}

// end returns why there is nothing more to read: git's error, or io.EOF if git did not fail.
func (s *stream) end(err error) error {
	if s.talk == nil || s.talk.HasEnded() {
		return err
	}
	if err := s.talk.End(err); s.talk.Failed() {
		return fmt.Errorf("list commits: %w", err)
	}
	return io.EOF
}

// Close ends git, which may be in the middle of a long history. A nil stream has no git process.
func (s *stream) Close() {
	if s != nil && !s.talk.HasEnded() {
		s.talk.Stop()
	}
}

// TouchLog goes through the history of a tip and lists the commits that changed some paths, newest first. It reads commits from loose
// object files as long as possible. It starts git only at the first commit that cannot be read in this way, or that is a merge.
type TouchLog struct {
	ctx   context.Context
	repo  *gitstate.Repo
	since time.Time
	paths []string
	// At first, commits are read from "fresh", and the stream is nil. When git must list the rest, the stream is opened and "fresh" becomes
	// nil.
	fresh *freshTouches
	*stream
	// next is the first field of the next commit, if it was read already.
	next string
}

// OpenTouches starts to list the commits that changed one of the paths, in the history of tip. Unless the time "since" is zero, git does not
// look behind the first older commit of a line of history. The caller must call Close.
func OpenTouches(ctx context.Context, r *gitstate.Repo, tip object.ID, since time.Time, paths ...string) (*TouchLog, error) {
	l := &TouchLog{ctx: ctx, repo: r, since: since, paths: paths}
	if own := newFresh(ctx, r); own != nil && len(paths) > 0 {
		l.fresh = &freshTouches{freshCommits: own, paths: paths, at: tip}
		return l, nil
	}
	return l, l.open(tip)
}

// open starts a git process that lists the history of a commit.
func (l *TouchLog) open(from object.ID) (err error) {
	args := touchArgs
	if !l.since.IsZero() {
		args = append(slices.Clone(args), fmt.Sprintf("--since=@%d", l.since.Unix()))
	}
	l.stream, err = openStream(l.ctx, l.repo, slices.Concat(args, []string{"--end-of-options", string(from), "--"}, l.paths))
	return err
}

// Close ends git, which may be in the middle of a long history.
func (l *TouchLog) Close() { l.stream.Close() }

// anyLength is how many bytes are kept of a field that can be very long, such as a path.
const anyLength = 1 << 20

// Next returns the next commit. The error is io.EOF after the last one.
func (l *TouchLog) Next() (Touch, error) {
	if l.fresh != nil {
		t, err := l.fresh.next()
		if err != errLeftToGit {
			return t, err
		}
		from := l.fresh.at
		l.fresh = nil
		if err := l.open(from); err != nil {
			return Touch{}, err
		}
	}
	var f [touchFields]string
	f[0], l.next = l.next, ""
	for i := range f {
		var err error
		if f[i] != "" {
			continue // this field was already read, after the previous commit
		}
		if f[i], err = l.field(anyLength); err != nil {
			return Touch{}, err
		}
	}
	t, err := parseTouch(f[:])
	if err == nil {
		t.Changes, err = l.changes()
	}
	return t, err
}

// The method "changes" reads the changes of one commit, up to the first field of the next commit.
func (l *TouchLog) changes() (all []Delta, err error) {
	for {
		f, err := l.field(anyLength)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		change := strings.TrimPrefix(f, "\n") // remove the newline that ends the subject
		if !strings.HasPrefix(change, ":") {
			l.next = change
			return all, nil
		}
		name, err := l.field(anyLength)
		if err != nil {
			return nil, err
		}
		one, _, err := parseRaw([]string{change, name})
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
}

// MessageLog lists the commits of all branches and of some other tips, newest first. It starts git only when it cannot read the next
// commits from loose object files.
type MessageLog struct {
	ctx  context.Context
	repo *gitstate.Repo
	// At first, commits are read from "fresh", and the stream is nil. When git must list the rest, the stream is opened and "fresh" becomes
	// nil. Then "done" has the commits that git must not list again.
	fresh *freshMessages
	done  map[object.ID]bool
	*stream
}

// OpenMessages starts to list the commits of all branches and of the tips. The caller must call Close.
func OpenMessages(ctx context.Context, r *gitstate.Repo, tips ...object.ID) (*MessageLog, error) {
	l := &MessageLog{ctx: ctx, repo: r, fresh: newFreshMessages(ctx, r, tips)}
	if l.fresh != nil {
		return l, nil
	}
	return l, l.open(tips, "--branches")
}

// open starts a git process that lists the history of some commits, with further options.
func (l *MessageLog) open(from []object.ID, options ...string) (err error) {
	l.stream, err = openStream(l.ctx, l.repo, slices.Concat(messageArgs, options, []string{"--end-of-options"}, idStrings(from), []string{"--"}))
	return err
}

// Close ends git, which may be in the middle of a long history.
func (l *MessageLog) Close() { l.stream.Close() }

// Next returns the next commit. The error is io.EOF after the last one.
func (l *MessageLog) Next() (Described, error) {
	if l.fresh != nil {
		c, err := l.fresh.next()
		if err != errLeftToGit {
			return c, err
		}
		var from []object.ID
		from, l.done = l.fresh.rest()
		l.fresh = nil
		if err := l.open(from); err != nil {
			return Described{}, err
		}
	}
	for {
		c, err := l.read()
		if err != nil || !l.done[c.ID] {
			return c, err
		}
	}
}

// read reads the next commit from the output of git.
func (l *MessageLog) read() (Described, error) {
	var f [messageFields]string
	for i := range f {
		var err error
		if f[i], err = l.field(maxBody); err != nil {
			return Described{}, err
		}
	}
	return described(f[:]), nil
}

func idStrings(ids []object.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}
