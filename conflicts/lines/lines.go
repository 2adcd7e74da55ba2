package lines

import "bytes"

// Line is the number of a line's text: two lines have the same number if all their bytes are the same,
// the line's end included. A last line without a newline so differs from the same line with one, as in git.
type Line int32

// Numbers gives out the numbers. All texts of one merge share one.
type Numbers map[string]Line

// Cut numbers the lines of a text.
func (in Numbers) Cut(text []byte) []Line {
	out := make([]Line, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		id, known := in[string(text[:end])]
		if !known {
			id = Line(len(in))
			in[string(text[:end])] = id
		}
		out = append(out, id)
		text = text[end:]
	}
	return out
}

// binaryProbe is how far git looks for a NUL byte before it calls a file text.
const binaryProbe = 8000

func IsBinary(text []byte) bool {
	return bytes.IndexByte(text[:min(len(text), binaryProbe)], 0) >= 0
}
