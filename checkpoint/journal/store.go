package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/plan"
)

// Store manages the journals of one repository. Nonce is a text that only this process uses. Patience limits how long an
// append waits for a lock.
type Store struct {
	Repo     *gitstate.Repo
	Now      func() time.Time
	Nonce    string
	Patience time.Duration
	// Caller, if it is set, returns who calls the program. The result is recorded with every change that a person asks for.
	Caller func() *checkpoint.Caller

	// Pending, if it is set, returns events of a run that wait to be recorded, and a function that forgets them. Every append records
	// them first.
	Pending func(*checkpoint.Run) (events []checkpoint.Event, forget func())

	count int
	// Executing is the run whose tasks this process executes.
	Executing checkpoint.RunID
	// last is the journal after our last append. unwritten is true if the cache file does not contain that state yet.
	last      *Journal
	seen      *Journal // a journal that was loaded earlier
	unwritten bool
	written   time.Time
	keys      *clone.Keys
	history   *evidence.History
}

// Folder returns the folder .git/resume, which has the files that are not stored in refs.
func (s *Store) Folder() files.Folder { return files.Folder{Repo: s.Repo} }

// Keys returns the keys that sign lines in this repository.
func (s *Store) Keys() *clone.Keys {
	if s.keys == nil {
		s.keys = &clone.Keys{Repo: s.Repo}
	}
	return s.keys
}

// History returns an evidence.History, which searches the commits of this repository.
func (s *Store) History() *evidence.History {
	if s.history == nil {
		s.history = &evidence.History{Repo: s.Repo}
	}
	return s.history
}

func (s *Store) cache() cache { return cache{s.Repo, s.Keys(), s.Folder()} }

// TakenError says that a ref that a run needs is used by somebody else.
type TakenError struct {
	Ref refs.Name
	Why string
}

func (e *TakenError) Error() string { return fmt.Sprintf("ref '%s' is in the way: %s", e.Ref, e.Why) }

// Journal is the content of a run's refs and the state of the run.
type Journal struct {
	Run checkpoint.Run
	// Tip is the newest commit of the journal, usually that of the private ref. Published is the commit of the public ref. They can differ,
	// for example after a crash.
	Tip, Published object.ID
	Tree           object.ID
	// Foreign is true if the public ref, or the last journal commit that this clone wrote, has lines that are missing in the commit Tip.
	Foreign bool
	// Strange is the reason why the published ref is not a journal. Such a ref is not changed.
	Strange error
	// Damage is the reason why the journal could not be read. If it is set, the state was rebuilt from commits.
	Damage error
	// PublishError is the reason why the journal could not be published. The record itself is safe.
	PublishError error

	tail tail
	// file is the file about the run in .git/resume.
	file files.OwnFile
	// theirs is the last commit with lines of somebody else that we saw in the public ref.
	theirs object.ID
	// whole is the complete content of the journal, or nil if it was not read.
	whole *notes.Contents
	// added is the number of events that Append recorded.
	added int
	// lines are the lines that Append recorded.
	lines []string
}

// tail remembers the last note of the journal, so that an append does not have to read the others.
type tail struct {
	// Head is the commit to which the newest line of the journal belongs. The lines of a commit are stored in one or more notes, and Key is
	// the object to which the last of these notes is attached. Both are empty if they are not known.
	Head object.ID `json:"head,omitempty"`
	Key  object.ID `json:"key,omitempty"`
	// Canonical is true if the notes tree of the journal is the one that LayOut makes from all lines. Only then can an append add lines
	// without reading the others. Base is the base commit of the run. The lines that name no commit are stored in notes of this commit.
	Canonical bool      `json:"canonical,omitempty"`
	Base      object.ID `json:"base,omitempty"`
}

// Document reads a document of a journal, such as a plan.
func (s *Store) Document(ctx context.Context, id object.ID) ([]byte, error) {
	return s.Repo.Objects.BlobUpTo(ctx, id, plan.MaxStored)
}

// file writes the RunFile of a run. The RunFile of a closed run is kept forever, so that the run stays closed even if its refs are
// restored.
func (s *Store) file(ctx context.Context, j *Journal) (files.RunFile, error) {
	id, r := string(j.Run.ID), &j.Run
	_ = s.Folder().NoteUnmerged(ctx, r) // ignore an error: the list of unmerged runs can be recomputed
	before := s.Folder().ReadOpen(r.ID)
	now := files.RunFile{
		V: 1, Journal: j.Tip, Branch: r.Branch, Base: r.BaseBranch(), Apart: r.Source == "" && !r.Here && r.Admin != "", Head: r.Head,
		Wip: before.Wip, Own: r.Own, Notes: j.theirs,
	}
	if !r.Closed() {
		return now, s.Folder().WriteOpen(r.ID, before, now)
	}
	text, err := checkpoint.Marshal(now)
	if err != nil {
		return now, err
	}
	if err := dotgit.WriteFile(s.Folder().Path("closed", id), append(text, '\n')); err != nil {
		return now, err
	}
	return now, errors.Join(s.Folder().RemoveOpen(r.ID), files.RemoveQuiet(s.Folder().Path("cache", id)), files.RemoveQuiet(s.Folder().AskedFile(r.ID)))
}

// same reports whether another journal of the same run was loaded from the same commits and files.
func (j *Journal) same(other *Journal) bool {
	return j.Tip == other.Tip && j.Published == other.Published && j.file == other.file
}

// copy returns a journal that can be changed without changing this one.
func (j *Journal) copy() *Journal {
	c := *j
	c.Run, c.lines = j.Run.Copy(), nil
	return &c
}
