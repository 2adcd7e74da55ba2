package past

// queued is a commit that waits to be visited. The field "number" identifies the commit, and commits with a higher rank are visited
// first.
type queued struct {
	rank   int64
	number int
}

// queue is a heap with the highest rank on top. Package container/heap would allocate memory for every commit.
type queue []queued

func (q *queue) push(x queued) {
	*q = append(*q, x)
	h := *q
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].rank >= h[i].rank {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

func (q *queue) pop() queued {
	h := *q
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < last && h[down+1].rank > h[down].rank {
			down++
		}
		if down >= last || h[i].rank >= h[down].rank {
			break
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
	*q = h
	return top
}
