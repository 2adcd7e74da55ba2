package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
)

// These limits restrict how much of a file is read. What an agent said last stands at the end.
const (
	firstTail = 16 << 10
	mostTail  = 8 << 20
	headSize  = 4 << 10
	mostFile  = 1 << 20  // of a small file that is read whole
	mostTitle = 16 << 10 // between the entry that decides and the title
)

// opened counts the files that were opened, for a benchmark.
var opened atomic.Int64

// open opens a regular file of the user. It follows no link at the end of the path, and never waits for a writer of a pipe.
func open(path string) (*os.File, fs.FileInfo, error) {
	file, err := openQuietly(path)
	if err != nil {
		return nil, nil, err
	}
	opened.Add(1)
	info, err := file.Stat()
	if err == nil && (!info.Mode().IsRegular() || !ours(info)) {
		err = errors.New("is no file of yours")
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// head returns the first bytes of a file.
func head(path string, size int) []byte {
	file, _, err := open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	data := make([]byte, size)
	n, _ := io.ReadFull(file, data)
	return data[:n]
}

// whole returns a file if it is not larger than a limit.
func whole(path string, most int64) []byte {
	file, info, err := open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info.Size() > most {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(file, most))
	return data
}

// backwards calls a function with the lines of a file, the last one first, until it returns false. Bytes of zero, which a power cut can leave at
// the end, are no part of a line.
func backwards(path string, do func(line []byte) bool) error {
	file, info, err := open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var rest []byte
	size, read := int64(firstTail), int64(0)
	for end := info.Size(); end > 0 && read < mostTail; size *= 4 {
		from := max(0, end-min(size, mostTail-read))
		part := make([]byte, end-from, end-from+int64(len(rest)))
		if n, err := file.ReadAt(part, from); int64(n) < end-from && !errors.Is(err, io.EOF) {
			return err
		}
		read += end - from
		part = append(part, rest...)
		rest = nil
		if from > 0 {
			at := bytes.IndexByte(part, '\n')
			if at < 0 {
				at = len(part)
			}
			rest, part = part[:at], part[min(at+1, len(part)):]
		}
		for len(part) > 0 {
			at := bytes.LastIndexByte(part, '\n')
			line := bytes.Trim(part[at+1:], "\x00 \r\t")
			if len(line) > 0 && !do(line) {
				return nil
			}
			part = part[:max(at, 0)]
		}
		end = from
	}
	return nil
}

// records calls a function with the records of the session's file of JSON lines, the last one first, until it returns false. A line that is no
// such record, for example because its writer was killed, is left out. Once the state and the folder are known, only lines with one of the given
// texts still matter.
func records[T any](s *Session, do func(*T) bool, later ...string) error {
	return backwards(s.path, func(line []byte) bool {
		if s.State != "" {
			s.behind += len(line)
			if s.Dir != "" && s.behind < mostTitle && !slices.ContainsFunc(later, func(t string) bool { return bytes.Contains(line, []byte(t)) }) {
				return true
			}
		}
		one := new(T)
		if line[0] != '{' || !decode(line, one) {
			return true
		}
		return do(one)
	})
}

// untitled reports whether a title is worth a further line. If there is none close to the end, the first prompt has to do.
func (s *Session) untitled() bool { return s.Title == "" && s.behind < mostTitle }

// long sets the state of a session in whose last 8 MB nothing decides: what goes on for so long has not ended.
func (s *Session) long(info fs.FileInfo) {
	if s.State != "" || info.Size() <= mostTail {
		return
	}
	s.cut("in an entry that is too long to be read")
	if m := cwdField.FindSubmatch(head(s.path, firstTail)); s.Dir == "" && m != nil {
		_ = json.Unmarshal(m[1], &s.Dir)
	}
}

// decode reads a JSON object. A field of an unexpected form is left out, because the rest can still be understood.
func decode(data []byte, into any) bool {
	err := json.Unmarshal(data, into)
	var form *json.UnmarshalTypeError
	return err == nil || errors.As(err, &form)
}

// text is a JSON value that is a text, or has texts in it: a list of parts, or an object with the field "text".
type text string

// UnmarshalJSON never fails, because the texts of an agent may have any form.
func (t *text) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var s string
		_ = json.Unmarshal(data, &s)
		*t = text(s)
		return nil
	}
	var parts []struct {
		Type, Text string
		Thought    bool
	}
	if data[0] == '{' {
		data = append(append([]byte{'['}, data...), ']')
	}
	_ = json.Unmarshal(data, &parts)
	out := ""
	for _, p := range parts {
		if (p.Type == "" || p.Type == "text" || p.Type == "input_text" || p.Type == "output_text") && !p.Thought {
			if out != "" {
				out += "\n"
			}
			out += p.Text
		}
	}
	*t = text(out)
	return nil
}

// statDir looks at a path, and reports whether it is a folder.
func statDir(path string) (fs.FileInfo, bool) {
	info, err := os.Lstat(path)
	return info, err == nil && info.IsDir()
}
