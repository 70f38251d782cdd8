package fetchtest

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// inMemory is a listener of pipes, so that a link can be watched in the exact time of a bubble.
type inMemory chan net.Conn

func (l inMemory) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l inMemory) Close() error   { close(l); return nil }
func (l inMemory) Addr() net.Addr { return &net.TCPAddr{} }

// connect returns both ends of a connection over a link.
func connect(t *testing.T, memory inMemory, l net.Listener) (client, server net.Conn) {
	t.Helper()
	client, near := net.Pipe()
	go func() { memory <- near }()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return client, server
}

// carry sends bytes and returns how long they took to arrive.
func carry(t *testing.T, from, to net.Conn, n int) time.Duration {
	t.Helper()
	begin := time.Now()
	go func() { _, _ = from.Write(make([]byte, n)) }()
	if _, err := io.ReadFull(to, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	return time.Since(begin)
}

func TestLinkKeepsExactTime(t *testing.T) {
	const rtt = 40 * time.Millisecond
	tests := []struct {
		name  string
		link  Link
		bytes int
		way   time.Duration // of the bytes, one direction
	}{
		{"a short message", Link{RTT: rtt}, 1, rtt / 2},
		{"a long one without a bound", Link{RTT: rtt}, 1 << 20, rtt / 2},
		{"one second of a line", Link{BitsPerSecond: 8 * 16384}, 16384, time.Second},
		{"both", Link{RTT: rtt, BitsPerSecond: 8 * 16384}, 2 * 16384, 2*time.Second + rtt/2},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			memory := make(inMemory)
			l, err := test.link.listen(memory)
			if err != nil {
				t.Fatal(err)
			}
			client, server := connect(t, memory, l)
			if took := carry(t, client, server, test.bytes); took != test.link.RTT+test.way {
				t.Errorf("%s, first: %v, want %v and the set-up", test.name, took, test.way)
			}
			if took := carry(t, server, client, test.bytes); took != test.way {
				t.Errorf("%s, answer: %v, want %v", test.name, took, test.way)
			}
			if took := carry(t, client, server, test.bytes); took != test.way {
				t.Errorf("%s, second: %v, want %v", test.name, took, test.way)
			}
			client.Close()
			server.Close()
		})
	}
}

// Two connections get half of a line each; the two directions do not share.
func TestLinkIsSharedByConnectionsAndNotByDirections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 64 * chunk
		memory := make(inMemory)
		l, err := Link{BitsPerSecond: 8 * size}.listen(memory) // one second for one body
		if err != nil {
			t.Fatal(err)
		}
		took := make(chan time.Duration)
		down := func() {
			client, server := connect(t, memory, l)
			go func() {
				took <- carry(t, server, client, size)
				client.Close()
				server.Close()
			}()
		}
		down()
		down()
		client, server := connect(t, memory, l)
		if up := carry(t, client, server, size); up != time.Second {
			t.Errorf("up took %v, want a second", up)
		}
		client.Close()
		server.Close()
		first, second := <-took, <-took
		if first < 1800*time.Millisecond || second != 2*time.Second {
			t.Errorf("down took %v and %v, want two seconds, nearly and exactly", first, second)
		}
	})
}

// A server cannot run far ahead of a line: what is in flight is bounded.
func TestLinkBoundsWhatIsInFlight(t *testing.T) {
	for _, test := range []struct {
		link Link
		want int
	}{
		{Link{RTT: 40 * time.Millisecond, BitsPerSecond: 100_000_000}, 1_000_000},
		{Link{RTT: time.Millisecond, BitsPerSecond: 1_000_000}, 8 * chunk},
		{Link{RTT: time.Second}, 16 << 20},
	} {
		if got := (&linked{link: test.link}).inFlight(); got != test.want {
			t.Errorf("%+v: got %d bytes, want %d", test.link, got, test.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		memory := make(inMemory)
		l, err := Link{RTT: time.Millisecond, BitsPerSecond: 8 * chunk}.listen(memory)
		if err != nil {
			t.Fatal(err)
		}
		client, server := connect(t, memory, l)
		sent := 0
		go func() {
			for range 100 {
				if _, err := server.Write(make([]byte, chunk)); err != nil {
					return
				}
				sent++
			}
		}()
		synctest.Wait()
		if sent != 9 { // eight in flight, and one that the relay holds
			t.Errorf("%d pieces were sent before the first arrived, want 9", sent)
		}
		client.Close()
		server.Close()
		time.Sleep(time.Minute) // of the bubble: what is in flight arrives nowhere
	})
}

func TestLinkClosesTheOtherEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := make(inMemory)
		l, err := Link{RTT: 40 * time.Millisecond}.listen(memory)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			client, server := connect(t, memory, l)
			server.Close()
			if _, err := client.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("client after the server closed: %v", err)
			}
			client.Close()
			client, server = connect(t, memory, l)
			client.Close()
			if _, err := server.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("server after the client closed: %v", err)
			}
			server.Close()
		}
		l.Close()
		if _, err := l.Accept(); err != net.ErrClosed {
			t.Errorf("after the end: %v", err)
		}
	})
}
