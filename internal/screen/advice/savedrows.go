package advice

import (
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/saved"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// savedRows has the rows for errors about snapshots, and for some errors about remotes.
func savedRows() []row {
	return []row{
		rowFor(exit.Usage, fixedLines[*snapshot.LabelError]("list the snapshots with 'git resume snapshots'")),
		rowIf(exit.Fatal, func(e *snapshot.NoneError) bool { return e.Last == 0 }, fixedLines[*snapshot.NoneError]("list all snapshots with 'git resume snapshots'")),
		rowFor(exit.Fatal, func(e *snapshot.NoneError) []string {
			return []string{"list its snapshots with " + phrase.Single("git resume snapshots %s", e.Run)}
		}),
		rowFor(exit.Fatal, func(e *snapshot.PathError) []string {
			return []string{"see its changed files with " + phrase.Single("git resume diff %s", e.Snapshot)}
		}),
		rowFor(exit.Fatal, func(e *snapshot.InTheWayError) []string {
			return []string{"move that folder away, or name other files", "or write the files into a new folder with '--to DIR'"}
		}),
		rowFor(exit.Conflicts, func(e *site.HalfRestoredError) []string { return words.WaysOut(words.FinishRestore(&e.HalfRestored)) }),
		rowFor(exit.Conflicts, func(e *site.HalfMergedError) []string { return words.WaysOut(words.FinishMerge(&e.HalfMerged)) }),
		rowFor(exit.Fatal, fixedLines[*snapshot.TargetError]("name a folder that does not exist yet")),
		rowFor(exit.Usage, func(e *sharing.NoRemoteError) []string {
			if len(e.Known) == 0 {
				return []string{"add a remote with 'git remote add NAME URL'"}
			}
			return []string{"name one of these: " + phrase.Some(e.Known)}
		}),
		rowFor(exit.Remote, fixedLines[*remote.LateError]("check the network, and repeat the command")),
		rowFor(exit.Usage, fixedLines[*saved.OutsideError]("name a path inside the worktree")),
		rowFor(exit.Usage, fixedLines[*saved.SeveralError]("repeat the command with one of the names above")),
		rowFor(exit.Decide, func(e *saved.WhereError) []string {
			if e.Partly {
				return []string{
					"write these files into a new folder by repeating the command with '--to DIR'",
					"or into the worktree by repeating the command with '--into-worktree'",
				}
			}
			if e.Moved {
				return []string{
					"write the snapshot's files into a new folder with " + phrase.Single("git resume restore %s --to DIR", e.Snapshot),
					"or into the worktree with " + phrase.Single("git resume restore %s --yes", e.Snapshot),
				}
			}
			return []string{
				"write the snapshot's files into a new folder with " + phrase.Single("git resume restore %s --to DIR", e.Snapshot),
				"or into the worktree with " + phrase.Single("git resume restore %s --into-worktree", e.Snapshot),
			}
		}),
		rowFor(exit.Fatal, noTreeAdvice),
		rowFor(exit.Conflicts, func(e *saved.InOperationError) []string {
			return []string{
				"finish or abort the operation first; use 'git resume' to see how",
				"or write the files into a new folder with " + phrase.Single("git resume restore %s --to DIR", e.Snapshot),
			}
		}),
		rowFor(exit.Fatal, func(e *discard.RestoreGoneError) []string {
			return []string{"use " + phrase.Single("git resume snapshots %s", string(e.Run)) + " to see which snapshots are left"}
		}),
	}
}

func noTreeAdvice(e *saved.NoTreeError) []string {
	out := []string{"write the snapshot's files into a new folder with " + phrase.Single("git resume restore %s --to DIR", e.Snapshot)}
	if e.Run != "" && !e.Closed && !e.Here {
		out = append(out, "or make the worktree again with "+phrase.Single("git resume %s", string(e.Run))+", then repeat the command")
	}
	return out
}
