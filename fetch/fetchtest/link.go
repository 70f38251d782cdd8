package fetchtest

import (
	"io"
	"net"
	"sync"
	"time"
)

// chunk is how much of a connection goes over a line at a time, in bytes: small enough to share the line fairly.
const chunk = 16 << 10

// Link is a model of the way between client and forge, for benchmarks. Setting a connection up costs one RTT, each direction half of it,
// and all connections share the bandwidth of a direction. There is no slow start and no loss.
type Link struct {
	RTT           time.Duration
	BitsPerSecond int64 // of each direction; 0: unlimited
}

// line is one direction of a link.
type line struct {
	link Link
	mu   sync.Mutex
	free time.Time // when what was sent so far has left
}

// transmit takes the line for so many bytes and returns when the last of them arrives.
func (l *line) transmit(n int) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	if l.link.BitsPerSecond > 0 {
		l.free = l.free.Add(time.Duration(int64(n) * 8 * int64(time.Second) / l.link.BitsPerSecond))
	}
	return l.free.Add(l.link.RTT / 2)
}

// linked is a listener whose connections come over a link.
type linked struct {
	net.Listener
	link     Link
	up, down *line
}

func (l Link) listen(inner net.Listener) (net.Listener, error) {
	return &linked{Listener: inner, link: l, up: &line{link: l}, down: &line{link: l}}, nil
}

// Accept returns the far end of the link. The relay between has ends of its own, so that deadlines stay what net.Conn says.
func (l *linked) Accept() (net.Conn, error) {
	client, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	go l.relay(client, near, l.up, l.link.RTT)
	go l.relay(near, client, l.down, 0)
	return far, nil
}

// packet is a part of a connection on its way.
type packet struct {
	content []byte
	due     time.Time
}

// relay carries one direction. It begins after the set-up, which the client has not seen: its dial returned at once.
func (l *linked) relay(from, to net.Conn, over *line, setup time.Duration) {
	time.Sleep(setup)
	w := &window{left: l.inFlight()}
	w.changed.L = &w.mu
	packets := make(chan packet, 1<<16) // the window is what bounds it
	go deliver(packets, to, w)
	defer close(packets)
	for {
		content := make([]byte, chunk)
		n, err := from.Read(content)
		if n > 0 {
			w.take(n)
			packets <- packet{content[:n], over.transmit(n)}
		}
		if err != nil {
			return
		}
	}
}

// inFlight is how many bytes of a connection may be on their way: twice the product of bandwidth and RTT, as TCP would come to.
func (l *linked) inFlight() int {
	if l.link.BitsPerSecond == 0 {
		return 16 << 20
	}
	return max(8*chunk, int(2*l.link.BitsPerSecond/8*int64(l.link.RTT)/int64(time.Second)))
}

// deliver writes packets when they are due, and closes the far end after the last.
func deliver(packets <-chan packet, to io.WriteCloser, w *window) {
	var failed error
	for p := range packets {
		if failed == nil {
			time.Sleep(time.Until(p.due))
			_, failed = to.Write(p.content)
		}
		w.give(len(p.content))
	}
	_ = to.Close()
}

// window bounds the bytes in flight.
type window struct {
	mu      sync.Mutex
	changed sync.Cond
	left    int
}

func (w *window) take(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.left < n {
		w.changed.Wait()
	}
	w.left -= n
}

func (w *window) give(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left += n
	w.changed.Signal()
}
