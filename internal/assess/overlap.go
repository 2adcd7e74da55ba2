package assess

import (
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/candidate"
)

// noteCodes maps the codes of notes in a conflict report to codes of findings. Notes with any other code do not become findings.
var noteCodes = map[conflicts.Code]candidate.Code{
	conflicts.SameFile: candidate.FindSameFile, conflicts.InputChanged: candidate.FindInput, conflicts.ManifestChanged: candidate.FindManifest,
	conflicts.CannotTell: candidate.FindCannotTell,
}
