package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/plan"
)

// Store keeps the journals of one repository.
// Nonce is unique to this process; Now is the clock. Patience, where set, is how long an append waits for others.
type Store struct {
	Repo     *gitstate.Repo
	Now      func() time.Time
	Nonce    string
	Patience time.Duration

	count int
	// holding is the run whose task lock we hold ourselves.
	holding RunID
	// last is the journal that we appended to last; unwritten says that its cache file is older.
	last      *Journal
	seen      *Journal // read last
	unwritten bool
	written   time.Time
	// own is this user's key once it was looked for (keyed); keyFault says why one that is there cannot be used.
	own      *Key
	keyed    bool
	keyFault error
	// looked are the commits of ranges in which trailers were looked for; none while that was for one run only.
	looked map[string][]gitstate.Commit
}

// NoRunError says that there is no such run.
type NoRunError struct{ ID RunID }

func (e *NoRunError) Error() string { return fmt.Sprintf("there is no run '%s'", e.ID) }

// TakenError says that a ref which a run needs is somebody else's.
type TakenError struct{ Ref, Why string }

func (e *TakenError) Error() string { return fmt.Sprintf("ref '%s' is in the way: %s", e.Ref, e.Why) }

// JournalRef is the private ref of a run's journal, the only place where it moves.
func JournalRef(id RunID) string { return "refs/resume/journal/" + string(id) }

// NotesRef is where the journal is published for git notes and git log --notes.
func NotesRef(id RunID) string { return "refs/notes/resume/" + string(id) }

// BaseRef keeps the base commit alive.
func BaseRef(id RunID) string { return "refs/resume/base/" + string(id) }

// Journal is what a run's refs hold, and the state that it means.
type Journal struct {
	Run Run
	// Tip is the private ref, Published the public one; they differ after a crash or when others moved it.
	Tip, Published gitstate.OID
	Tree           gitstate.OID
	// Foreign: another ref carries lines that the journal does not have yet.
	Foreign bool
	// Strange says why the published ref cannot be taken for a journal; it is left alone then.
	Strange error
	// Damage says why the journal could not be read, where its state was rebuilt from commits instead.
	Damage error
	// PublishError says why the journal could not be published; the record itself is safe.
	PublishError error

	tail tail
	// file is what this clone's files say of the run.
	file ownFile
	// theirs is the published commit that last came from somebody else.
	theirs gitstate.OID
	// whole is everything that the journal holds, where it was read.
	whole *contents
	// added is how many events the append that gave this journal recorded.
	added int
	// lines are those of that append.
	lines []string
}

// tail remembers where the next line goes, so that an append need not read the journal.
type tail struct {
	Head gitstate.OID `json:"head,omitempty"`
	Key  gitstate.OID `json:"key,omitempty"`
	// Canonical: the tree is what layout makes of its lines. Base is where lines without a head hang.
	Canonical bool         `json:"canonical,omitempty"`
	Base      gitstate.OID `json:"base,omitempty"`
}

// Load reads a run's journal and folds it.
// What another ref has and the private one has not is united in the result; nothing is written.
func (s *Store) Load(ctx context.Context, id RunID) (*Journal, error) {
	j, err := s.tips(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, known := range []*Journal{s.last, s.seen} {
		if known != nil && known.Run.ID == id && known.Tip == j.Tip && known.Published == j.Published && known.file == j.file {
			return known.copy(), nil
		}
	}
	if err := s.state(ctx, id, j); err != nil {
		return nil, err
	}
	j.Run.Lack = lack(&j.Run, j.file, func() ([]Line, error) {
		err := s.readWhole(ctx, j)
		if err != nil {
			return nil, err
		}
		return j.whole.lines, nil
	})
	if j.Run.Lack == LackRoot && s.KeyFault() != nil {
		j.Run.Lack = LackKey
	}
	if j.Strange == nil && !j.Foreign {
		s.seen = j.copy() // one command asks for the same run again and again
	}
	return j, nil
}

// state gives a journal its state: from the cache where that is of these tips or a little older, else from every line.
// Where this clone last wrote something else than what is there now, every line is looked at.
func (s *Store) state(ctx context.Context, id RunID, j *Journal) error {
	if j.file.Journal != "" && j.file.Journal != j.Tip {
		return s.fold(ctx, id, j)
	}
	c := s.readCache(id, j.Tip)
	if c != nil && c.Tip == j.Tip && c.Published == j.Published {
		j.Run, j.Tree, j.tail = c.Run, c.Tree, c.Tail
		return nil
	}
	if c != nil && s.catchUp(ctx, c, j) {
		return nil
	}
	return s.fold(ctx, id, j)
}

// fold reads a journal whole and gives it its state.
func (s *Store) fold(ctx context.Context, id RunID, j *Journal) error {
	j.Run.ID = id
	if err := s.readWhole(ctx, j); err != nil {
		return fmt.Errorf("read journal of %s: %w", id, err)
	}
	j.Run = Fold(id, j.whole.lines, j.whole.docs)
	j.Run.Unreadable += j.whole.lostNotes()
	return nil
}

// Lines reads every line of a run's journal, in order.
func (s *Store) Lines(ctx context.Context, id RunID) ([]Line, error) {
	j, err := s.tips(ctx, id)
	if err == nil {
		j.Run.ID = id
		err = s.readWhole(ctx, j)
	}
	var none *NoRunError
	switch {
	case errors.As(err, &none):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read journal of %s: %w", id, err)
	}
	return Sorted(j.whole.lines), nil
}

// tips finds the refs of a run. A private ref that vanished is taken from the open file;
// a clone that only fetched notes has the published one alone.
func (s *Store) tips(ctx context.Context, id RunID) (*Journal, error) {
	tip, err := s.Repo.Refs.Ref(ctx, JournalRef(id))
	if err != nil {
		return nil, err
	}
	pub, err := s.Repo.Refs.Ref(ctx, NotesRef(id))
	if err != nil {
		return nil, err
	}
	file := s.ownFile(id)
	if tip == "" && file.open && file.Journal != "" {
		if _, err := s.treeOf(ctx, file.Journal); err == nil {
			tip = file.Journal
		}
	}
	if tip == "" {
		tip = pub
	}
	if tip == "" {
		return nil, &NoRunError{id}
	}
	return &Journal{Tip: tip, Published: pub, file: file, theirs: file.Notes}, nil
}

// treeOf is the notes tree of a journal: a commit's, or the tree itself, as servers hold it.
func (s *Store) treeOf(ctx context.Context, tip gitstate.OID) (gitstate.OID, error) {
	c, err := s.Repo.Objects.Commit(ctx, string(tip))
	if err == nil {
		return c.Tree, nil
	}
	if o, treeErr := s.Repo.Objects.Object(ctx, string(tip)); treeErr == nil && o.Type == "tree" {
		return o.ID, nil
	}
	return "", err
}

// contents is what notes trees hold: lines, documents, and notes that cannot be read.
type contents struct {
	lines []Line
	docs  Docs
	lost  []note
	bytes int // of lines
	// blobs are the notes that are stored already.
	blobs map[gitstate.OID]bool
}

func newContents() *contents {
	return &contents{docs: Docs{}, blobs: map[gitstate.OID]bool{}}
}

// readWhole collects the contents of all refs of a journal, and of the state that this clone last wrote,
// so that nothing is lost by whoever moved a ref back.
func (s *Store) readWhole(ctx context.Context, j *Journal) error {
	if j.whole != nil {
		return nil
	}
	all := newContents()
	var err error
	if j.Tree, err = s.treeOf(ctx, j.Tip); err != nil {
		return err
	}
	if err := s.readTree(ctx, j.Run.ID, j.Tree, all); err != nil {
		return err
	}
	if j.Published != "" && j.Published != j.Tip && !s.contains(ctx, j.Tip, j.Published) {
		// What is not a journal has no lines for us; it may be all that somebody else has, so it is not written over.
		more := false
		if _, err = s.Repo.Objects.Commit(ctx, string(j.Published)); err == nil {
			more, err = s.readMore(ctx, j.Run.ID, j.Published, all)
		}
		if j.Strange = err; more {
			j.Foreign, j.theirs = true, j.Published
		}
	}
	if f := &j.file; f.Journal != "" && f.Journal != j.Tip && f.Journal != j.Published {
		more, err := s.readMore(ctx, j.Run.ID, f.Journal, all)
		f.lost = err != nil
		j.Foreign = j.Foreign || more
	}
	j.whole = all
	return ctx.Err()
}

// readMore adds what another state of the journal has; more says whether that was anything new.
func (s *Store) readMore(ctx context.Context, id RunID, tip gitstate.OID, all *contents) (more bool, err error) {
	tree, err := s.treeOf(ctx, tip)
	if err != nil {
		return false, err
	}
	other := newContents()
	if err := s.readTree(ctx, id, tree, other); err != nil {
		return false, err
	}
	return all.unite(other), nil
}

// unite adds what another set has; it reports whether that was anything new.
func (c *contents) unite(other *contents) (grown bool) {
	have := make(map[string]int, len(c.lines))
	for i, l := range c.lines {
		have[l.words()] = i
	}
	for _, l := range other.lines {
		switch i, ok := have[l.words()]; {
		case !ok:
			have[l.words()], grown = len(c.lines), true
			c.lines = append(c.lines, l)
		case l.Text < c.lines[i].Text: // with fewer blanks at its end: all clones must keep the same bytes
			c.lines[i], grown = l, true
		}
	}
	for id, doc := range other.docs {
		if _, ok := c.docs[id]; !ok {
			c.docs[id], grown = doc, true
		}
	}
	for _, n := range other.lost {
		grown = c.lose(n) || grown
	}
	for id := range other.blobs {
		c.blobs[id] = true
	}
	return grown
}

// lose keeps a note that cannot be read; it reports whether that is new.
func (c *contents) lose(n note) bool {
	if slices.Contains(c.lost, n) {
		return false
	}
	c.lost = append(c.lost, n)
	return true
}

// lostNotes is how many notes cannot be read.
func (c *contents) lostNotes() int {
	blobs := map[gitstate.OID]bool{}
	for _, n := range c.lost {
		blobs[n.blob] = true
	}
	return len(blobs)
}

// contains reports whether old is part of the history of tip, as it is where an older version wrote both.
func (s *Store) contains(ctx context.Context, tip, old gitstate.OID) bool {
	c, err := s.Repo.Objects.Commit(ctx, string(tip))
	if err != nil || len(c.Parents) == 0 {
		return false
	}
	if slices.Contains(c.Parents, old) {
		return true
	}
	within, err := s.Repo.IsAncestor(ctx, old, tip)
	return err == nil && within
}

// readTree adds what a notes tree holds. A note that cannot be read is counted, and the others are read all the same.
func (s *Store) readTree(ctx context.Context, id RunID, tree gitstate.OID, out *contents) error {
	notes, err := listNotes(ctx, s.Repo.Objects, tree)
	if err != nil {
		return err
	}
	for _, n := range notes {
		limit := int64(maxNote)
		if n.isDoc() {
			limit = plan.MaxStored
		}
		data, err := s.Repo.Objects.BlobUpTo(ctx, n.blob, limit)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, gitstate.ErrKilled):
			return err // the note may be sound
		case err != nil:
			out.lose(n)
		case n.isDoc():
			out.docs[n.key] = data
		case !s.take(id, data, out):
			out.lose(n)
		}
		out.blobs[n.blob] = true
	}
	return nil
}

// take adds the lines of a note, unless they are more than anybody's run can have.
func (s *Store) take(id RunID, data []byte, out *contents) bool {
	if out.bytes += len(data); out.bytes > maxBytes || len(out.lines)+bytes.Count(data, []byte("\n")) > maxLines {
		return false
	}
	for _, text := range splitLines(data) {
		out.lines = append(out.lines, s.line(id, text))
	}
	return true
}

// line reads one stored line of a run, and whether it is ours.
func (s *Store) line(id RunID, text string) Line {
	l := ParseLine(text)
	l.Ours = !l.Bad && s.key().wrote(id, text)
	return l
}

// Document reads a plan that a journal carries.
func (s *Store) Document(ctx context.Context, id gitstate.OID) ([]byte, error) {
	return s.Repo.Objects.BlobUpTo(ctx, id, plan.MaxStored)
}

// ListMode says which runs are listed.
type ListMode int

const (
	// OpenRuns are those that are not finished or discarded.
	OpenRuns ListMode = iota
	// AllRuns are all that have left a trace.
	AllRuns
)

// List names runs, sorted. Open ones are found without reading a closed run's journal;
// where nothing is open and refs are files, it starts no process.
func (s *Store) List(ctx context.Context, mode ListMode) ([]RunID, error) {
	open, err := s.names("open")
	if err != nil {
		return nil, err
	}
	closed, err := s.names("closed")
	if err != nil {
		return nil, err
	}
	known := append(slices.Clone(open), closed...)
	strangers, err := s.strangers(ctx, known)
	if err != nil {
		return nil, err
	}
	out := append(open, strangers...)
	if mode == AllRuns {
		out = append(out, closed...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// strangers are runs whose refs are here although this clone never wrote to them:
// they came by fetch, or the files beside the refs were lost.
func (s *Store) strangers(ctx context.Context, known []RunID) ([]RunID, error) {
	slices.Sort(known)
	var out []RunID
	for _, prefix := range []string{"refs/resume/journal/", "refs/notes/resume/", branchPrefix} {
		names, err := s.Repo.Refs.Names(ctx, prefix)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			id := RunID(n)
			if _, have := slices.BinarySearch(known, id); !have && id.Valid() {
				out = append(out, id)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// branchPrefix is where the branches of runs lie by default.
const branchPrefix = "refs/heads/resume/"

func (s *Store) path(elem ...string) string {
	return s.Repo.CommonPath(append([]string{"resume"}, elem...)...)
}

func (s *Store) names(dir string) ([]RunID, error) {
	entries, err := os.ReadDir(s.path(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var out []RunID
	for _, e := range entries {
		if id := RunID(e.Name()); id.Valid() {
			out = append(out, id)
		}
	}
	return out, nil
}

// Remember keeps the state of runs that came from elsewhere, so that readers need not read them each time.
// They stay strangers: only a person who takes one over makes it a run of this clone.
func (s *Store) Remember(ctx context.Context) error {
	open, err := s.names("open")
	if err != nil {
		return err
	}
	closed, err := s.names("closed")
	if err != nil {
		return err
	}
	strangers, err := s.strangers(ctx, append(open, closed...))
	if err != nil {
		return err
	}
	for _, id := range strangers {
		if _, err := os.Lstat(s.path("cache", string(id))); err == nil {
			continue
		}
		if j, err := s.Load(ctx, id); err == nil && j.Strange == nil && !j.Foreign {
			_ = s.writeCache(j) // a hint
		}
	}
	return nil
}

// file puts a run among the open or the closed ones. A closed run's file stays for good:
// whatever comes back of the run later is known to be over here.
func (s *Store) file(j *Journal) error {
	id := string(j.Run.ID)
	if !j.Run.Closed() {
		return s.writeHint(s.path("open", id), s.fileOf(j))
	}
	text, err := marshal(s.fileOf(j))
	if err != nil {
		return err
	}
	if err := dotgit.WriteFile(s.path("closed", id), append(text, '\n')); err != nil {
		return err
	}
	return errors.Join(removeQuiet(s.path("open", id)), removeQuiet(s.path("cache", id)), removeQuiet(s.askedFile(j.Run.ID)))
}

func removeQuiet(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Valid reports whether the id has the form that this program gives: safe in refs, paths and messages.
func (id RunID) Valid() bool {
	s := string(id)
	cut := strings.LastIndexByte(s, '-')
	if len(s) > maxID || cut < 1 || len(s)-cut != suffixLen+1 {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return s[0] != '-' && s[0] != '.' && !strings.Contains(s, "..") && filepath.IsLocal(s)
}

// Suffix is the four characters that alone name a run too.
func (id RunID) Suffix() string { return string(id[strings.LastIndexByte(string(id), '-')+1:]) }

const (
	suffixLen = 4
	maxID     = 80
	alphabet  = "abcdefghijklmnopqrstuvwxyz234567"
)

// NewRunID makes an id from a name and four bytes of chance; at least one of its four characters is a letter,
// so that it can never be taken for a task's number.
func NewRunID(slug string, chance [suffixLen]byte) RunID {
	var tag [suffixLen]byte
	letter := false
	for i, b := range chance {
		tag[i] = alphabet[b&31]
		letter = letter || b&31 < 26
	}
	if !letter {
		tag[0] = alphabet[chance[0]&15]
	}
	return RunID(slug + "-" + string(tag[:]))
}

// RunIDFor makes the id of work that has a name of its own elsewhere: the same name always gives the same id.
func RunIDFor(name, key string) RunID {
	sum := sha256.Sum256([]byte(key))
	return NewRunID(plan.Slug(name), [suffixLen]byte(sum[:suffixLen]))
}

// LogPath is where the output of one attempt is kept.
func (s *Store) LogPath(id RunID, task TaskID, attempt string) string {
	return s.path("logs", string(id), string(task)+"-"+attempt+".log")
}

// OpenHere reports whether this clone has a run among its open ones, whoever began it.
func (s *Store) OpenHere(id RunID) bool { return s.ownFile(id).open }

// ClosedHere reports whether this clone has a file of the run among its closed ones.
func (s *Store) ClosedHere(id RunID) bool { return s.ownFile(id).closed }

// Mismatch compares the files beside the refs with the refs: files whose run is not there, and runs that have no file.
func (s *Store) Mismatch(ctx context.Context) (surplus, strangers []RunID, err error) {
	open, err := s.names("open")
	if err != nil {
		return nil, nil, err
	}
	closed, err := s.names("closed")
	if err != nil {
		return nil, nil, err
	}
	for _, id := range open {
		branch, err := s.Repo.Refs.Ref(ctx, branchPrefix+string(id))
		if _, gone := s.tips(ctx, id); gone != nil && err == nil && branch == "" && !flock.Held(s.appendLock(id)) {
			surplus = append(surplus, id)
		}
	}
	strangers, err = s.strangers(ctx, append(open, closed...))
	return surplus, slices.DeleteFunc(strangers, func(id RunID) bool {
		_, err := s.Load(ctx, id)
		return err != nil
	}), err
}
