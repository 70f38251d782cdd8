package fetch_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

// catalogue is a repository of so many skills with ten files each, 60 kB a skill, most of which is the same in no other.
func catalogue(skills int) fs.FS {
	files := fstest.MapFS{}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range skills {
		dir := fmt.Sprintf("skills/cat-%02d/skill-%04d", i%20, i)
		for j := range 10 {
			data := make([]byte, 6000)
			for k := range data {
				data[k] = "etaoin shrdlu cmfwyp vbgkjq xz\n"[random.IntN(31)]
			}
			name := fmt.Sprintf("%s/references/part-%d.md", dir, j)
			if j == 0 {
				name = dir + "/SKILL.md"
			}
			files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		}
	}
	return files
}

// benchForge serves a catalogue over a line of 40 ms and 100 Mbit/s, with filters as GitHub is believed to take them.
func benchForge(b *testing.B, skills int, link fetchtest.Link) *fetchtest.Forge {
	b.Helper()
	forge, err := fetchtest.Start(fetchtest.Config{Dir: b.TempDir(), Link: link})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { forge.Close() })
	forge.AddFS("github.com/big/skills", catalogue(skills))
	forge.Repo("github.com/big/skills").Set(fetchtest.Settings{Filter: "blob:none"})
	return forge
}

// serverTime is how long the forge itself took for the requests in its log.
func serverTime(forge *fetchtest.Forge) (sum time.Duration) {
	for _, r := range forge.Requests() {
		sum += r.Wait
	}
	return sum
}

// BenchmarkOneSkill fetches one skill by its page out of a repository of 42 MB. The floor is what no client can go below:
// two round trips to connect, one for each request, the bytes, and the server's own time.
func BenchmarkOneSkill(b *testing.B) {
	link := fetchtest.Link{RTT: 40 * time.Millisecond, BitsPerSecond: 100e6}
	forge := benchForge(b, 700, link)
	const page = "github.com/big/skills/tree/main/skills/cat-05/skill-0005"
	pinned := "github.com/big/skills/tree/" + forge.Repo("github.com/big/skills").ID("main") + "/skills/cat-05/skill-0005"
	tree := forge.Repo("github.com/big/skills").ID("main:skills/cat-05/skill-0005")
	ways := []struct {
		name string
		run  func(*fetch.Client) error
	}{
		{"page", func(c *fetch.Client) error { return oneSkill(b, c, page) }},
		{"commit", func(c *fetch.Client) error { return oneSkill(b, c, pinned) }},
		{"locked", func(c *fetch.Client) error {
			_, err := c.FetchTrees(context.Background(), locate(b, "big/skills"), map[string]string{"skills/cat-05/skill-0005": tree})
			return err
		}},
	}
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			var beyond time.Duration
			var counts fetchtest.Counts
			n := 0
			for b.Loop() {
				b.StopTimer()
				c := newClient(b, forge)
				forge.Reset()
				b.StartTimer()
				start := time.Now()
				if err := way.run(c); err != nil {
					b.Fatal(err)
				}
				took := time.Since(start)
				counts = forge.Counts("")
				floor := time.Duration(2+counts.Requests)*link.RTT + time.Duration(counts.Down*8*int64(time.Second)/link.BitsPerSecond) + serverTime(forge)
				beyond += took - floor
				n++
			}
			b.ReportMetric(float64(counts.Requests), "requests")
			b.ReportMetric(float64(counts.Down)/1000, "kB-down")
			b.ReportMetric(float64(beyond.Milliseconds())/float64(n), "ms-over-floor")
		})
	}
}

func oneSkill(b *testing.B, c *fetch.Client, text string) error {
	tree := fetchTree(b, c, resolve(b, c, text))
	below := tree.Revision().Locator.Path
	if err := tree.Load(context.Background(), below+"/SKILL.md"); err != nil {
		return err
	}
	return tree.Load(context.Background(), below)
}

// memory watches what the runtime holds, in MB, while f runs.
func memory(f func()) float64 {
	debug.FreeOSMemory()
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var most atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for {
			metrics.Read(sample)
			most.Store(max(most.Load(), sample[0].Value.Uint64()-sample[1].Value.Uint64()))
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
		}
	}()
	f()
	close(stop)
	<-done
	return float64(most.Load()) / (1 << 20)
}

// BenchmarkAllSkills fetches 2,000 skills, 20,000 files and 120 MB, and reads every file. The memory is that of client and forge.
func BenchmarkAllSkills(b *testing.B) {
	forge := benchForge(b, 2000, fetchtest.Link{})
	most := 0.0
	var counts fetchtest.Counts
	for b.Loop() {
		forge.Reset()
		most = max(most, memory(func() {
			c := newClient(b, forge)
			tree := fetchTree(b, c, resolve(b, c, "big/skills"))
			load(b, tree, "skills")
			err := fs.WalkDir(tree.FS(), "skills", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				_, err = fs.ReadFile(tree.FS(), name)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}))
		counts = forge.Counts("")
	}
	b.ReportMetric(float64(counts.Requests), "requests")
	b.ReportMetric(float64(counts.Down)/1e6, "MB-down")
	b.ReportMetric(most, "peak-MB")
}

// BenchmarkInStore lists and loads what is there already.
func BenchmarkInStore(b *testing.B) {
	forge := benchForge(b, 300, fetchtest.Link{})
	dir := b.TempDir()
	c := newClient(b, forge, in(b, dir))
	rev := resolve(b, c, "big/skills")
	load(b, fetchTree(b, c, rev), ".")
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if info, infoErr := d.Info(); infoErr == nil && !d.IsDir() {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	forge.Reset()
	for b.Loop() {
		load(b, fetchTree(b, c, rev), ".")
	}
	b.ReportMetric(float64(forge.Counts("").Requests), "requests")
	b.ReportMetric(float64(size)/1e6, "MB-on-disk")
}
