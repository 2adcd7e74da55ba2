package candidate

import (
	"bytes"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/site"
)

// ActiveTask returns the first task of a running run that somebody is working on; nil if there is none. Other systems' work has none.
func ActiveTask(s *Summary) *checkpoint.Task {
	if s.Found != nil || s.State != checkpoint.Running {
		return nil
	}
	for i := range s.Run.Tasks {
		if t := &s.Run.Tasks[i]; t.State == checkpoint.Active && !t.Started.IsZero() {
			return t
		}
	}
	return nil
}

// mostOutput is the number of bytes at the end of a log in which we look for the last line.
const mostOutput = 4 << 10

// LastOutput returns the last line that the active task printed, ignoring empty lines at the end. It returns "" if no output is stored.
func LastOutput(e *site.Site, s *Summary) string {
	t := ActiveTask(s)
	if t == nil || t.Command == "" {
		return ""
	}
	return OutputOf(e, s.Run.ID, t)
}

// OutputOf returns the last line that the last attempt of a task printed, ignoring empty lines at the end. It returns "" if no output was
// stored.
func OutputOf(e *site.Site, run checkpoint.RunID, t *checkpoint.Task) string {
	text, err := execution.Read(e.Store.Folder().LogPath(run, t.ID, t.Attempt), mostOutput)
	if err != nil {
		return ""
	}
	text = bytes.TrimRight(text, " \t\r\n")
	return string(text[bytes.LastIndexAny(text, "\r\n")+1:])
}
