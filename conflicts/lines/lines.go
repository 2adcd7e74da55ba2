package lines

import "bytes"

// Line is a number for the text of a line. Equal lines have equal numbers. The line ending is part of the text, so a
// last line without a newline differs from the same line with a newline, as in git.
type Line int32

// Numbers assigns a Line to the text of each line. Files that are compared with each other must use the same Numbers.
type Numbers map[string]Line

// Cut splits a text into lines and returns the Line number of each. Equal lines have equal numbers.
func (in Numbers) Cut(text []byte) []Line {
	out := make([]Line, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		out = append(out, in.number(text[:end]))
		text = text[end:]
	}
	return out
}

func (in Numbers) number(line []byte) Line {
	id, known := in[string(line)]
	if !known {
		id = Line(len(in))
		in[string(line)] = id
	}
	return id
}

// Unended numbers the lines by their text without the line ending, because git's merge can change line endings. For example, if the last
// line of a file has no newline and the merge adds lines after it, git adds the newline.
func (in Numbers) Unended(text [][]byte) []Line {
	out := make([]Line, len(text))
	for i, l := range text {
		out[i] = in.number(bytes.TrimRight(l, "\r\n"))
	}
	return out
}

// binaryProbe is the number of bytes in which git looks for a NUL byte. Without a NUL byte, a file is text.
const binaryProbe = 8000

func IsBinary(text []byte) bool {
	return bytes.IndexByte(text[:min(len(text), binaryProbe)], 0) >= 0
}
