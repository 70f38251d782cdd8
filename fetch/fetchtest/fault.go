package fetchtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault makes requests go wrong. Where several match, the oldest counts.
type Fault struct {
	// Host is the host name. Empty: any.
	Host string
	// Path is a part of the path. Empty: any.
	Path string
	// Command is the git command, as in Request. Empty: any request, of git or not.
	Command string
	// Times is how many requests it hits; after that it is gone. 0: all.
	Times int
	// Do is what happens.
	Do Action
}

// Action is what a fault does to an answer.
type Action struct {
	// prepare may answer itself, or change how the answer is written; it says whether the request goes on to be answered.
	prepare func(x *exchange, r *http.Request) bool
}

// errCut ends the handler of an answer that is cut.
var errCut = errors.New("the answer is cut by a fault")

// Fault adds a fault.
func (f *Forge) Fault(fault Fault) {
	fault.Host = strings.ToLower(fault.Host)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, &fault)
	f.meet(fault.Host)
}

// Heal removes all faults.
func (f *Forge) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// strike takes the fault for a request, nil for none, and counts it.
func (f *Forge) strike(r *Request) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.faults, func(fault *Fault) bool {
		return (fault.Host == "" || fault.Host == r.Host) && strings.Contains(r.Path, fault.Path) &&
			(fault.Command == "" || fault.Command == r.Command)
	})
	if i < 0 {
		return nil
	}
	fault := f.faults[i]
	if fault.Times == 1 {
		f.faults = slices.Delete(f.faults, i, i+1)
	} else if fault.Times > 1 {
		fault.Times--
	}
	return fault
}

// Answer gives a status, a body and header fields ("Retry-After", "1", …) in place of the true answer.
func Answer(status int, body string, header ...string) Action {
	return Action{func(x *exchange, _ *http.Request) bool {
		for i := 0; i+1 < len(header); i += 2 {
			x.Header().Set(header[i], header[i+1])
		}
		x.WriteHeader(status)
		_, _ = x.Write([]byte(body))
		return false
	}}
}

// Cut breaks the answer off after so many bytes of its body; the header is sent. HTTP/1 loses its connection, HTTP/2 the one stream.
func Cut(after int64) Action {
	return Action{func(x *exchange, _ *http.Request) bool {
		x.write = upTo(x, after, func() error { return errCut })
		x.end = func() {
			x.flush()
			panic(http.ErrAbortHandler)
		}
		return true
	}}
}

// Stall sends so many bytes of the body and then nothing more, until the client or the forge goes away. Below 0 not even a header is sent.
func Stall(after int64) Action {
	return Action{func(x *exchange, r *http.Request) bool {
		wait := func() error {
			<-r.Context().Done()
			return context.Cause(r.Context())
		}
		x.end = func() {
			if after >= 0 {
				x.flush()
			}
			_ = wait()
			panic(http.ErrAbortHandler)
		}
		x.write = upTo(x, after, wait)
		return after >= 0
	}}
}

// upTo writes so many bytes, sends them off, and does what comes then.
func upTo(x *exchange, left int64, then func() error) func([]byte) (int, error) {
	return func(p []byte) (int, error) {
		if int64(len(p)) <= left {
			left -= int64(len(p))
			return x.send(p)
		}
		n, err := x.send(p[:left])
		left = 0
		if err == nil {
			x.flush()
			err = then()
		}
		return n, err
	}
}

// Slow sends the body at so many bytes a second, 1 or more, in ten pieces a second at most.
func Slow(bytesPerSecond int) Action {
	piece := max(1, bytesPerSecond/10)
	pause := time.Duration(piece) * time.Second / time.Duration(max(1, bytesPerSecond))
	return Action{func(x *exchange, r *http.Request) bool {
		x.write = func(p []byte) (int, error) {
			sent := 0
			for part := range slices.Chunk(p, piece) {
				n, err := x.send(part)
				if sent += n; err != nil {
					return sent, err
				}
				x.flush()
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
					return sent, r.Context().Err()
				}
			}
			return sent, nil
		}
		return true
	}}
}

// Length announces a length of the body that is not true. Of a longer body only the announced part is sent, for that is what HTTP gives a
// client; a shorter one ends early.
func Length(announced int64) Action {
	return Action{func(x *exchange, _ *http.Request) bool {
		x.length = strconv.FormatInt(announced, 10)
		left := announced
		x.write = func(p []byte) (int, error) {
			n := min(left, int64(len(p)))
			left -= n
			if n > 0 {
				if _, err := x.send(p[:n]); err != nil {
					return 0, err
				}
			}
			return len(p), nil
		}
		return true
	}}
}

// fault reads the directive @fault: a host or *, then path=, command= and times= to say which requests, and one of status= (with
// retry-after=, type= and the text as body), cut=, stall=, slow= and length=.
func (b *builder) fault(words []string, text string) error {
	if len(words) == 0 {
		return errors.New("it needs a host, or * for any")
	}
	fault := Fault{Host: strings.Trim(words[0], "*")}
	var status int
	var header []string
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		number, err := strconv.Atoi(value)
		switch key {
		case "path":
			fault.Path, err = value, nil
		case "command":
			fault.Command, err = value, nil
		case "retry-after", "type":
			header = append(header, map[string]string{"retry-after": "Retry-After", "type": "Content-Type"}[key], value)
			err = nil
		case "times":
			fault.Times = number
		case "status":
			status = number
		case "cut":
			fault.Do = Cut(int64(number))
		case "stall":
			fault.Do = Stall(int64(number))
		case "slow":
			fault.Do = Slow(number)
		case "length":
			fault.Do = Length(int64(number))
		default:
			err = fmt.Errorf("%q says nothing of a fault", key)
		}
		if err != nil {
			return err
		}
	}
	if status != 0 {
		fault.Do = Answer(status, text, header...)
	}
	if fault.Do.prepare == nil {
		return errors.New("it needs one of status, cut, stall, slow and length")
	}
	b.forge.Fault(fault)
	return nil
}
