package clash

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// Kind says which changes of the two sides conflict.
type Kind string

// These are the kinds of conflicts.
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
	// Unknown means that the engine cannot tell whether the path can be merged.
	Unknown Kind = "unknown"
)

// These are the array indexes of the base and the two sides of a merge.
const (
	InBase = iota
	InOurs
	InTheirs
)

// Other returns the opposite side.
func Other(side int) int { return 3 - side }

// Clash is a path that an engine cannot merge.
type Clash struct {
	Path string
	// Listed is the path as git lists it. It may contain the id of a temporary commit that was made for the merge. It is empty for the
	// builtin engine.
	Listed string
	Kind   Kind
	// At contains the versions of the file in the base, ours and theirs. Names contains their paths.
	At    [3]object.Version
	Names [3]string
	Why   string
	// Lines are the conflicting lines in ours and theirs, if the builtin engine has found them. The element for the base is empty.
	Lines [3][]lines.Span
}

// Verdict is the result of an engine.
type Verdict struct {
	Clean   bool
	Clashes []Clash
	Merged  []string // paths that both sides changed without a conflict
	Doubts  []Doubt
	// Result is git's merged tree, with conflict markers in the files that git could not merge. It is empty for the builtin engine.
	Result object.ID
}

// Doubt is a question that an engine could not decide. It counts as a conflict.
type Doubt struct {
	Path, Text string
	// Astray is true if it is unclear where files of a renamed directory belong. The report gives such a doubt the code DirectoryUnclear,
	// and every other doubt CannotTell.
	Astray bool
}

// Merge describes a merge whose result an engine must find.
type Merge struct {
	Repo *past.Scratch
	// Tips are the commits of the base and of both sides.
	Tips [3]object.ID
	// Several is true if the sides have more than one common ancestor.
	Several bool
	// Changed holds the changes of each side since the base. Renames are not followed.
	Changed [3][]past.Delta
	// Labels holds the names of the sides. They are appended to the names of files that are moved aside.
	Labels [3]string
}

// TypeOf returns the type of a version: file, link or submodule. For a file, it is FileType.
func TypeOf(v object.Version) uint32 { return v.Mode &^ 0o7777 }

const FileType = 0o100000

// TypeKind returns the kind of a conflict between versions of different types.
func TypeKind(at [3]object.Version) Kind {
	for _, v := range at {
		if v.Mode == object.ModeSubmodule {
			return Submodule
		}
	}
	return Symlink
}

// SameTypeKind returns the kind of a conflict between two versions of the same type, or between a version and a deletion.
func SameTypeKind(at [3]object.Version) Kind {
	ours, theirs := at[1], at[2]
	switch {
	case ours.Mode == object.ModeSubmodule || theirs.Mode == object.ModeSubmodule:
		return Submodule
	case ours.Mode == object.ModeLink || theirs.Mode == object.ModeLink:
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

// MaxText is the largest size of a file that is compared line by line.
const MaxText = 32 << 20

// ReadTexts reads the three versions of a file. The text is empty if a version does not exist or is not a file.
func ReadTexts(ctx context.Context, r *past.Scratch, at [3]object.Version) (out [3][]byte, err error) {
	for i, v := range at {
		if TypeOf(v) != FileType {
			continue
		}
		out[i], err = r.BlobUpTo(ctx, v.ID, MaxText)
		var large *object.TooLargeError
		if errors.As(err, &large) {
			return out, fmt.Errorf("a file of %d bytes is too large to compare line by line", large.Size)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}
