// Documentation that belongs to the site: how to search, what the numbers mean, the API.
#include "pages.h"
#include "parts.h"

#include <array>

namespace ki::web {

http::Response docs_page(const Site& site, const http::Request& request) {
  (void)request;
  const PageHead head{.title = "Documentation",
                      .description =
                          "How to search, what is comparable, how ranks and evidence "
                          "come about.",
                      .canonical = Url::path({"docs"}),
                      .section = Section::kDocs};
  Page page(site, head);
  Html& h = page.html();
  h << R"(<div class="prose"><h1>Documentation</h1>
<p class="lead">The index answers one question: what is the fastest kernel for my exact workload, and why should I believe the number?</p>
<p><a href="/docs/numbers">About the numbers</a> · <a href="/docs/api">API</a> · <a href="/sources">Sources</a> · <a href="/llms.txt">llms.txt</a></p>
<section aria-labelledby="query"><h2 id="query">Search</h2>
<p>Words name an operation; <code>name:value</code> and <code>axis=number</code> narrow it. Nothing that is not understood is dropped silently: it is listed above the answer.</p>
<dl class="pairs">
<div><dt><code>rmsnorm B200</code></dt><dd>words and a GPU; a GPU is matched as a product, so B200 is not GB200</dd></div>
<div><dt><code>op:SLUG</code></dt><dd>one operation by its slug or an alias</dd></div>
<div><dt><code>gpu:"RTX 4090"</code></dt><dd>a GPU of several words</dd></div>
<div><dt><code>m=120</code>, <code>shape:[120,4096]</code></dt><dd>a case, by axes or by the shape of a tensor</dd></div>
<div><dt><code>dtype:bf16</code>, <code>layout:row_major</code></dt><dd>data types and layouts of the case</dd></div>
<div><dt><code>arch:sm_100</code>, <code>cuda:12</code>, <code>framework:triton</code>, <code>language:cuda</code></dt><dd>environment and code</dd></div>
<div><dt><code>family:attention</code>, <code>model:deepseek-v3</code></dt><dd>lists of operations</dd></div>
<div><dt><code>trust:verified</code>, <code>license:permissive</code>, <code>source:true</code>, <code>installable:true</code></dt><dd>filters that hide rows and say how many</dd></div>
</dl></section>
<section aria-labelledby="groups"><h2 id="groups">Comparability</h2>
<p>A <em>comparison group</em> holds the runs whose operation, workload, protocol, environment, correctness policy and metric are equal, compared on full digests. Ranks exist only inside a group. Results are split accordingly:</p>
<ul><li><strong>Exact</strong>: answers everything that was asked, in one group.</li><li><strong>Compatible</strong>: the same operation, but something differs; never ranked with the exact ones.</li><li><strong>Other protocols</strong>: measured in another way; each has a rank in its own group.</li><li><strong>Declared only</strong>: support is stated, nothing was measured.</li></ul>
<p>A case that nobody measured is never called exact. Its measured neighbours are shown; nothing is interpolated.</p></section>
<section aria-labelledby="ranking"><h2 id="ranking">Ranking</h2>
<p><code>ranking-v1</code> is the order of reported values; equal values tie. It tests nothing. <code>ranking-v2</code> gives bounds of each rank and verdicts, and says “insufficient” where no interval or samples exist.</p>
<p>A <em>record</em> is the lowest reported value of a group. A <em>break</em> is a new leader of another project that is better by 0.5 % or more, or by the protocol's noise floor where one is known.</p></section>
<section aria-labelledby="evidence"><h2 id="evidence">Evidence</h2>
<dl class="pairs"><div><dt>Reported</dt><dd>the source states the number</dd></div><div><dt>Reproducible</dt><dd>code and raw evidence are stated, so that others could repeat it</dd></div><div><dt>Verified</dt><dd>the index reran it under its own control</dd></div><div><dt>Replicated</dt><dd>independent parties measured it again</dd></div></dl>
<p>Notes and attestations of others never change the level.</p></section>
<section aria-labelledby="identity"><h2 id="identity">Identity and permalinks</h2>
<p>Every record has a SHA-256 digest over its canonical JSON (RFC 8785), and a page under it: <code>/runs/sha256:…</code>. <code>?version=N</code> pins an address to a catalog version; of an earlier version than the current one the answer is 410 Gone. <code>ki verify RUN</code> prints every text that was hashed.</p></section>
<section aria-labelledby="agents"><h2 id="agents">Programs and agents</h2>
<p>Every page links the same content as JSON and shows the <code>curl</code> and <code>ki</code> lines for it. Whoever repeats “fastest” names workload and group with it. Where the operator offers exports, <code>/exports/latest.json</code> names the newest: the whole catalog as ordered JSON Lines, with its digest; <code>ki verify FILE</code> checks it and <code>ki import kernelindex FILE</code> brings it in.</p></section>
<section aria-labelledby="limits"><h2 id="limits">Limits</h2>
<p>Most records are what sources reported. Few state drivers, clocks or samples, so differences of a few per cent may be noise, and the index says so where it knows. Values of different groups are never multiplied or divided by each other.</p></section></div>
)";
  return std::move(page).finish();
}

http::Response numbers_page(const Site& site, const http::Request& request) {
  (void)request;
  const PageHead head{.title = "About the numbers",
                      .description =
                          "What a value, a rank, a statistic and a source's own words "
                          "mean.",
                      .canonical = Url::path({"docs", "numbers"}),
                      .section = Section::kDocs};
  Page page(site, head);
  Html& h = page.html();
  h << R"(<div class="prose"><h1>About the numbers</h1>
<section aria-labelledby="values"><h2 id="values">Values</h2>
<p>A number is shown with its unit and statistic, or not at all. Latencies are rounded for reading: two decimals below ten, one above; the exact value is in the JSON and the manifest. “±” is half of a stated 95 % interval. “n.nn×” is a value divided by the value of the first of the same group, never across groups.</p></section>
<section aria-labelledby="ranks"><h2 id="ranks">Ranks</h2>
<p>“Rank 2 of 70” counts the eligible runs indexed here in that comparison group. Rivals that the index does not know are not counted. A group of one has no winner: its page says that it is the only run.</p></section>
<section aria-labelledby="sol"><h2 id="sol">SOL-ExecBench</h2>
<p>The records keep the source's values as they are. What its words mean, as far as its published numbers show:</p>
<ul><li><strong>latency, “mean”</strong>: over the cases of a suite it behaves as their geometric mean, not the arithmetic one.</li>
<li><strong>“× reference”</strong> (<code>avg_speedup</code>): the arithmetic mean over the cases of the ratio to the source's <em>scoring baseline</em>, an optimised PyTorch version; not to the reference implementation.</li>
<li><strong>SOL score</strong>: the arithmetic mean over the cases of 1/(1 + (T − T<sub>SOL</sub>)/(T<sub>b</sub> − T<sub>SOL</sub>)): 0.5 at the baseline, 1 at the speed-of-light bound. It is not a share of the bound's speed.</li>
<li><strong>“n/m cases faster”</strong>: cases in which the kernel beats the scoring baseline.</li></ul></section>
<section aria-labelledby="missing"><h2 id="missing">What is not known</h2>
<p>“—” means that the source states nothing. “Stale” means observed more than 180 days ago; it changes no rank.</p></section></div>
)";
  return std::move(page).finish();
}

http::Response api_docs_page(const Site& site, const http::Request& request) {
  (void)request;
  struct Row {
    std::string_view address, what;
  };
  static constexpr std::array<Row, 19> kRows = {
      {{"GET /api/v1/search?q=…", "the answer to a query text"},
       {"POST /api/v1/resolve/kernel", "the answer to a structured request"},
       {"POST /api/v1/resolve/kernel/batch", "up to 20 structured requests"},
       {"GET /api/v1/operations", "operations, most measured first"},
       {"GET /api/v1/operations/{slug}", "one operation, a workload, a group"},
       {"GET /api/v1/implementations/{slug}", "one implementation"},
       {"GET /api/v1/projects/{slug}", "one project"},
       {"GET /api/v1/runs", "runs, newest observed first, with a cursor"},
       {"GET /api/v1/runs/{id or digest}", "one run with its manifests"},
       {"GET /api/v1/records", "who leads each comparison group"},
       {"GET /api/v1/feed", "changes by day"},
       {"POST /api/v1/compare", "two to eight runs side by side"},
       {"GET /api/v1/hardware", "GPUs"},
       {"GET /api/v1/models", "models"},
       {"GET /api/v1/coverage", "families and GPUs"},
       {"GET /api/v1/stats", "how much the catalog holds"},
       {"GET /api/v1/sources", "sources and their freshness"},
       {"GET /api/v1/manifests/sha256:…", "the bytes of a manifest; never change"},
       {"GET /api/v1/openapi.json", "this list, in full, for programs"}}};
  const PageHead head{.title = "API",
                      .description = "The same answers as JSON.",
                      .canonical = Url::path({"docs", "api"}),
                      .json = api({"openapi.json"}),
                      .section = Section::kDocs};
  Page page(site, head);
  Html& h = page.html();
  h << "<div class=\"head\"><h1>API</h1><p class=\"lead\">Reading needs no key. Answers are JSON "
       "in "
       "UTF-8; errors are <code>application/problem+json</code> (RFC 9457). The whole description "
       "is <a href=\"/api/v1/openapi.json\">OpenAPI 3.1</a>.</p></div>\n";
  {
    using Kind = Table::Kind;
    static constexpr std::array<Table::Column, 2> kColumns = {
        {{"Address", Kind::kHeader}, {"What it answers"}}};
    Table table(h, "Routes of the API", kColumns);
    for (const Row& row : kRows) {
      table.row();
      table.cell() << "<code>" << text(row.address) << "</code>";
      table.cell() << text(row.what);
    }
  }
  h << "<section class=\"prose\" aria-labelledby=\"rules\"><h2 "
       "id=\"rules\">Rules</h2><ul><li>Every "
       "number carries unit, statistic, the digest of its run and the policy "
       "version.</li><li>Lists "
       "have a limit and a cursor; a cursor belongs to its filters and to a catalog "
       "version.</li><li>Answers have an ETag: ask with <code>If-None-Match</code>.</li><li>Name "
       "workload and group with any “fastest”.</li></ul></section>\n";
  return std::move(page).finish();
}

}  // namespace ki::web
