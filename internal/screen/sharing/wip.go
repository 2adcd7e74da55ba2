package sharing

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// SentWip prints which uncommitted work was sent.
func SentWip(s page.Page, p *sharing.Packed) {
	s.Tell("sent its uncommitted work: %s, %s", phrase.Count(p.Files, "file", "files"), phrase.Bytes(p.Bytes))
	leftOut(s, p)
}

// leftOut prints which files with uncommitted work are not sent.
func leftOut(s page.Page, p *sharing.Packed) {
	if len(p.Left) > 0 {
		s.Row("left out", quote.Clean(phrase.Some(p.Left)))
	}
}

// Brought prints whether uncommitted work was received from a remote. If tell is true, it also says how to use that work.
func Brought(s page.Page, id checkpoint.RunID, b *sharing.Brought, tell bool) {
	switch {
	case b == nil:
		return
	case b.Err != nil:
		s.Tell("Uncommitted work of %s at the remote was not taken: %s", id, quote.Clean(b.Err.Error()))
		return
	case !b.Fits:
		s.Tell("Uncommitted work was received as %s. It was made on an earlier commit of %s.", b.Snapshot.Label(), id)
	default:
		s.Tell("Uncommitted work was received as %s.", b.Snapshot.Label())
	}
	if !tell {
		return
	}
	s.Hint("see it with " + phrase.Double("git resume diff %s", b.Snapshot.Label()))
	if b.Fits {
		s.Hint("keep that work and continue with " + phrase.Double("git resume %s --keep", string(id)))
	} else {
		s.Hint(fmt.Sprintf("restore it with %s", phrase.Double("git resume restore %s", b.Snapshot.Label())))
	}
}
