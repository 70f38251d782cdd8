package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// bigPack is a pack as git makes it of 2,000 skills with ten files each, most of them alike.
func bigPack(b *testing.B) []byte {
	b.Helper()
	dir := b.TempDir()
	git(b, dir, "", "init", "-q", "--bare", ".")
	var in strings.Builder
	in.WriteString("commit refs/heads/main\ncommitter a <a@example.com> 0 +0000\ndata 0\n")
	text := strings.Repeat("Use this skill when the user asks for something that many skills do.\n", 40)
	for i := range 20_000 {
		data := fmt.Sprintf("# %d\n%s%x\n%s", i, text[:i*7919%2500], uint64(i+1)*0x9E3779B97F4A7C15, text[:i*104729%2500])
		fmt.Fprintf(&in, "M 100644 inline skills/s%04d/f%d.md\ndata %d\n%s\n", i/10, i%10, len(data), data)
	}
	git(b, dir, in.String(), "fast-import", "--quiet")
	return []byte(git(b, dir, "", "pack-objects", "--all", "--stdout", "-q", "--delta-base-offset"))
}

// peak watches the memory that the process holds while f runs, in MB.
func peak(f func()) float64 {
	debug.FreeOSMemory()
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var most atomic.Uint64
	look := func() {
		metrics.Read(sample)
		most.Store(max(most.Load(), sample[0].Value.Uint64()-sample[1].Value.Uint64()))
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				look()
			}
		}
	}()
	f()
	close(stop)
	<-done
	look()
	return float64(most.Load()) / (1 << 20)
}

// BenchmarkAddPack: objects a second, and the memory of the process beyond the pack itself, which the test holds.
func BenchmarkAddPack(b *testing.B) {
	file := filepath.Join(b.TempDir(), "pack")
	if err := os.WriteFile(file, bigPack(b), 0o644); err != nil {
		b.Fatal(err)
	}
	s := openStore(b, b.TempDir())
	var stats Stats
	memory := 0.0
	n := 0
	for b.Loop() {
		n++
		r, err := s.Repository(fmt.Sprint(n))
		if err != nil {
			b.Fatal(err)
		}
		in, err := os.Open(file)
		if err != nil {
			b.Fatal(err)
		}
		memory = max(memory, peak(func() { stats, err = r.AddPack(context.Background(), in, Limits{}) }))
		in.Close()
		if err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(stats.Unpacked)
	b.ReportMetric(float64(stats.Objects*n)/b.Elapsed().Seconds(), "objects/s")
	b.ReportMetric(float64(stats.Deltas), "deltas")
	b.ReportMetric(memory, "peak-MB")
}

func BenchmarkOpen(b *testing.B) {
	r := openRepository(b)
	if _, err := r.AddPack(context.Background(), bytes.NewReader(bigPack(b)), Limits{}); err != nil {
		b.Fatal(err)
	}
	p := r.packs[0]
	i := int64(0)
	for b.Loop() {
		var line [recordSize]byte
		p.read(line[:], i%int64(p.fanout[255]))
		i += 7919
		in, err := r.Open(parseRecord(line[:]).id)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, in); err != nil {
			b.Fatal(err)
		}
		in.Close()
	}
}

func BenchmarkWriter(b *testing.B) {
	s := openStore(b, b.TempDir())
	text := bytes.Repeat([]byte("Use this skill when the user asks for something that many skills do.\n"), 43) // 3 kB
	n := 0
	for b.Loop() {
		n++
		r, err := s.Repository(fmt.Sprint(n))
		if err != nil {
			b.Fatal(err)
		}
		w, err := r.NewWriter(context.Background(), Limits{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range 20_000 {
			copy(text, fmt.Sprintf("%d-%x", i, uint64(i+1)*0x9E3779B97F4A7C15))
			if _, err := w.File(fmt.Sprintf("skills/s%04d/f%d.md", i/10, i%10), ModeFile, int64(len(text)), bytes.NewReader(text)); err != nil {
				b.Fatal(err)
			}
		}
		if _, _, err := w.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(20_000*n)/b.Elapsed().Seconds(), "files/s")
}
