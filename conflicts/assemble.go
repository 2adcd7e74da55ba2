package conflicts

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
)

// report turns a verdict into what the caller gets.
func (a *asked) report(ctx context.Context, engine Engine, v verdict) (Report, error) {
	out := Report{Engine: engine, Bases: a.bases, Base: a.bases[0], Ours: a.Ours, Theirs: a.Theirs, Clean: v.clean}
	for _, d := range v.doubts {
		code := CannotTell
		if d.astray {
			code = DirectoryUnclear
		}
		out.note(code, Blocking, d.path, d.text)
	}
	naming := a.Detail == Whose && len(v.clashes) > 0
	var behind history
	if naming {
		behind = a.lookBack(ctx)
		defer behind.close()
	}
	for i := range v.clashes {
		c, note := a.conflict(ctx, v, &v.clashes[i])
		out.Conflicts = append(out.Conflicts, c)
		if note != nil {
			out.Notes = append(out.Notes, *note)
		}
		if c.Expected {
			out.note(ExpectedConflict, Warning, c.Path, "")
		}
	}
	a.markUncommitted(ctx, v, out.Conflicts)
	if naming {
		a.addCommits(behind, v, &out)
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	a.addNotes(&out, v)
	out.sort()
	return out, nil
}

// conflict finds the lines of a clash.
func (a *asked) conflict(ctx context.Context, v verdict, c *clash) (Conflict, *Note) {
	out := Conflict{Path: c.path, Expected: matchAny(a.Expect, c.path), Why: c.why}
	var ours, theirs []Range
	var note *Note
	if a.Detail != Paths {
		var why string
		ours, theirs, why = a.place(ctx, v, c)
		if why != "" {
			out.Why = why
			note = &Note{PlaceUnknown, Info, c.path, why}
		}
	}
	if c.kind == Unknown {
		note = &Note{CannotTell, Blocking, c.path, c.why}
	}
	out.Kind = c.kind
	side := func(i int, ranges []Range) Side {
		return Side{Path: c.names[i], Version: c.at[i], Ranges: ranges}
	}
	out.Base, out.Ours, out.Theirs = side(inBase, nil), side(inOurs, ours), side(inTheirs, theirs)
	return out, note
}

// addNotes adds the quieter classes.
func (a *asked) addNotes(out *Report, v verdict) {
	for _, p := range v.merged {
		out.note(SameFile, Warning, p, "")
	}
	touched := map[string]bool{}
	for _, p := range v.merged {
		touched[p] = true
	}
	for _, c := range v.clashes {
		touched[c.path] = true
	}
	elsewhere := 0
	for _, d := range a.byTheirs {
		if matchAny(a.Inputs, d.Path) {
			out.note(InputChanged, Warning, d.Path, "")
		}
		if isManifest(d.Path) {
			out.note(ManifestChanged, Warning, d.Path, "")
		}
		if !touched[d.Path] {
			elsewhere++
		}
	}
	if elsewhere > 0 {
		files := "files"
		if elsewhere == 1 {
			files = "file"
		}
		out.note(BaseMoved, Info, "", fmt.Sprintf("%d %s changed elsewhere", elsewhere, files))
	}
}

// Touched lists what a side changed since a base, renames followed as git follows them.
func Touched(ctx context.Context, r *gitstate.Repo, base, side gitstate.OID) ([]gitstate.Delta, error) {
	c, err := r.Config(ctx)
	if err != nil {
		return nil, err
	}
	return r.Diff(ctx, base, side, gitstate.DiffOptions{Renames: c.Bool("diff.renames", true)})
}
