package remotetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Harm is what a proxy does to a request.
type Harm string

const (
	// None passes the request and its answer on.
	None Harm = ""
	// LostRequest ends the connection, and the server never sees the request.
	LostRequest Harm = "lost request"
	// LostAnswer lets the server handle the request, and ends the connection without an answer.
	LostAnswer Harm = "lost answer"
	// CutAnswer lets the server handle the request, and ends the connection in the middle of its answer.
	CutAnswer Harm = "cut answer"
	// Slow delays the request, and SlowAnswer delays the answer.
	Slow       Harm = "slow"
	SlowAnswer Harm = "slow answer"
	// Hang answers nothing for some time, and then ends the connection. The server never sees the request.
	Hang Harm = "hang"
	// Late ends the connection at once, and delivers the request some time later.
	Late Harm = "late"
	// Busy answers that the server is overloaded.
	Busy Harm = "busy"
)

// Harms are all the harms that a proxy can do.
var Harms = []Harm{LostRequest, LostAnswer, CutAnswer, Slow, SlowAnswer, Hang, Late, Busy}

// Proxy stands between git and a server. It passes requests and answers on, and disturbs some of them.
type Proxy struct {
	*httptest.Server
	// Calm lets everything pass while it is true.
	Calm atomic.Bool
	// Hurt counts the requests that were disturbed.
	Hurt atomic.Int64

	target string
	choose func(*http.Request) (Harm, time.Duration)
	late   sync.WaitGroup
	// passing sends requests to the server, even if the client no longer waits for the answer.
	passing http.Client
}

// NewProxy starts a proxy on loopback, in front of the server at the URL target. The function choose says what is done to a request.
func NewProxy(t testing.TB, target string, choose func(*http.Request) (Harm, time.Duration)) *Proxy {
	t.Helper()
	p := &Proxy{target: target, choose: choose}
	p.passing.Transport = &http.Transport{DisableCompression: true}
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() {
		p.Settle()
		p.Close()
		p.passing.CloseIdleConnections()
	})
	return p
}

// Settle waits until every late request has reached the server and was answered.
func (p *Proxy) Settle() { p.late.Wait() }

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	harm, wait := None, time.Duration(0)
	if !p.Calm.Load() {
		harm, wait = p.choose(r)
	}
	if harm != None {
		p.Hurt.Add(1)
	}
	switch harm {
	case LostRequest:
		panic(http.ErrAbortHandler)
	case Hang:
		time.Sleep(wait)
		panic(http.ErrAbortHandler)
	case Late:
		p.late.Go(func() {
			time.Sleep(wait)
			_, _, _ = p.pass(r, body)
		})
		panic(http.ErrAbortHandler)
	case Busy:
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	case Slow:
		time.Sleep(wait)
	}
	answer, text, err := p.pass(r, body)
	if err != nil || harm == LostAnswer {
		panic(http.ErrAbortHandler)
	}
	if harm == SlowAnswer {
		time.Sleep(wait)
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.WriteHeader(answer.StatusCode)
	if harm == CutAnswer {
		_, _ = w.Write(text[:len(text)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(text)
}

// pass sends a request to the server, whether or not the client still waits.
func (p *Proxy) pass(r *http.Request, body []byte) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	out.Header = r.Header.Clone()
	answer, err := p.passing.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, text, err
}
