package conflicts

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate"
)

// Kind says what two sides did to a path that cannot be merged.
type Kind string

// The kinds of conflict.
const (
	Content         Kind = "content"
	AddAdd          Kind = "add/add"
	ModifyDelete    Kind = "modify/delete"
	RenameDelete    Kind = "rename/delete"
	RenameRename    Kind = "rename/rename"
	RenameAdd       Kind = "rename/add"
	DirectoryRename Kind = "directory rename"
	FileDirectory   Kind = "file/directory"
	Mode            Kind = "mode"
	Symlink         Kind = "symlink"
	Submodule       Kind = "submodule"
	Binary          Kind = "binary"
	// Unknown: it could not be told whether the path merges.
	Unknown Kind = "unknown"
)

// The sides of a merge, as places in an array.
const (
	inBase = iota
	inOurs
	inTheirs
)

// other is the opposite side.
func other(side int) int { return 3 - side }

// clash is a path that cannot be merged, as an engine found it.
type clash struct {
	path string
	// listed is the path in git's result, where made-up commits still have their own names.
	listed string
	kind   Kind
	// at holds the versions (base, ours, theirs) and names the paths they have there.
	at    [3]gitstate.Version
	names [3]string
	why   string
	// regions, where an engine has them already.
	regions []lines.Region
	placed  bool
}

// verdict is what an engine found.
type verdict struct {
	clean   bool
	clashes []clash
	merged  []string // changed by both sides, and mergeable
	doubts  []doubt
	// result is the tree git made, with conflict markers; empty for the builtin engine.
	result gitstate.OID
}

// doubt is something that an engine could not tell, which counts as a conflict.
type doubt struct {
	path, text string
	// astray: where files of a renamed directory belong is not clear; no path is in conflict for it.
	astray bool
}

// merge is what an engine is asked.
type merge struct {
	repo *gitstate.Scratch
	// tips are the commits of the base and of both sides.
	tips [3]gitstate.OID
	// several: the sides have more than the one common ancestor.
	several bool
	// changed is what each side changed since the base, renames not followed.
	changed [3][]gitstate.Delta
	// labels are the names of the sides behind those of files that are moved aside.
	labels [3]string
}

// typeOf tells files, links and submodules apart; fileType is that of a file.
func typeOf(v gitstate.Version) uint32 { return v.Mode &^ 0o7777 }

const fileType = 0o100000

// typeKind names a conflict between a file and something that is no file.
func typeKind(at [3]gitstate.Version) Kind {
	for _, v := range at {
		if v.Mode == gitstate.ModeSubmodule {
			return Submodule
		}
	}
	return Symlink
}

// sameTypeKind names a conflict between two versions of one type.
func sameTypeKind(at [3]gitstate.Version) Kind {
	ours, theirs := at[1], at[2]
	switch {
	case ours.Mode == gitstate.ModeSubmodule || theirs.Mode == gitstate.ModeSubmodule:
		return Submodule
	case ours.Mode == gitstate.ModeLink || theirs.Mode == gitstate.ModeLink:
		return Symlink
	case ours.Mode == 0 || theirs.Mode == 0:
		return ModifyDelete
	case ours.ID == theirs.ID:
		return Mode
	case at[0].Mode == 0:
		return AddAdd
	}
	return Content
}

// maxText bounds a file that is compared line by line.
const maxText = 32 << 20

// readTexts reads the versions of a file; one that is no file, or not there, is empty.
func readTexts(ctx context.Context, r *gitstate.Scratch, at [3]gitstate.Version) (out [3][]byte, err error) {
	for i, v := range at {
		if typeOf(v) != fileType {
			continue
		}
		out[i], err = r.BlobUpTo(ctx, v.ID, maxText)
		var large *gitstate.TooLargeError
		if errors.As(err, &large) {
			return out, fmt.Errorf("a file of %d bytes is too large to compare line by line", large.Size)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}
