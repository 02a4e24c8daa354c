#!/usr/bin/env python3
"""The relay beside nginx and haproxy, in one interleaved run: requests and streams, plain and TLS towards the provider.

    tests/bench/macro.py --sanduk build/release/sanduk --sse build/bench/bench_sse [--rounds 5] [--seconds 1] [--quick]

Every peer checks the run token and puts in the key, which is all that nginx and haproxy can do of the relay's work; the
relay checks model and path, and clamps, besides. Prints a table of ratios and writes the numbers as JSON. Needs nginx,
haproxy, wrk and openssl; everything is on loopback, and ends with this program.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

TOKEN = "run-token-of-the-benchmark-0123456789abcdef"
KEY = "real-key-of-the-benchmark"
PLAIN, SECURE, STREAMS = 18001, 18002, 18003
PEERS = ["sanduk", "nginx", "haproxy"]
HERTZ = os.sysconf("SC_CLK_TCK")


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sanduk-bench-"))
        os.chmod(self.folder, 0o755)
        self.children = []
        self.ports = {}  # (peer, upstream) -> port
        self.pids = {}
        self.tokens = {}

    def start(self, name, argv, **more):
        log = open(self.folder / f"{name}.log", "w")
        child = subprocess.Popen(argv, stderr=log, cwd=self.folder, **more)
        self.children.append(child)
        return child

    def stop(self):
        for child in reversed(self.children):
            child.send_signal(signal.SIGTERM)
        for child in reversed(self.children):
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def make_certificate(self):
        run = lambda *argv: subprocess.run(argv, cwd=self.folder, check=True, capture_output=True)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=bench CA")
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "server.key",
            "-out", "server.csr", "-subj", "/CN=localhost")
        self.write("ext", "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        run("openssl", "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", "ext", "-out", "server.pem")
        pem = (self.folder / "server.pem").read_text() + (self.folder / "server.key").read_text()
        self.write("haproxy.pem", pem)

    def nginx(self, name, http):
        base = self.folder / name
        base.mkdir()
        text = f"""
worker_processes 2; daemon off; pid {base}/pid; error_log {base}/error.log error; user root;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 1000000; client_max_body_size 100m; client_body_buffer_size 4m; tcp_nodelay on;
  client_body_temp_path {base}/a; proxy_temp_path {base}/b; fastcgi_temp_path {base}/c; uwsgi_temp_path {base}/d;
  scgi_temp_path {base}/e;
  {http}
}}
"""
        self.write(f"{name}.conf", text)
        return self.start(name, ["nginx", "-c", str(self.folder / f"{name}.conf"), "-p", str(base)])

    def start_provider(self):
        answer = '{"id":"x","choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":12,"completion_tokens":3}}'
        self.nginx("provider", f"""
  default_type application/json;
  server {{ listen 127.0.0.1:{PLAIN} backlog=4096; location / {{ return 200 '{answer}'; }} }}
  server {{ listen 127.0.0.1:{SECURE} ssl backlog=4096; ssl_certificate {self.folder}/server.pem;
            ssl_certificate_key {self.folder}/server.key; location / {{ return 200 '{answer}'; }} }}
""")
        self.start("sse", [self.options.sse, "serve", str(STREAMS)])

    def start_nginx(self):
        servers = ""
        for upstream, port, scheme in [("plain", PLAIN, "http"), ("tls", SECURE, "https"), ("sse", STREAMS, "http")]:
            own = 18100 + ["plain", "tls", "sse"].index(upstream)
            self.ports["nginx", upstream] = own
            verify = (f"proxy_ssl_verify on; proxy_ssl_trusted_certificate {self.folder}/ca.pem; "
                      "proxy_ssl_name localhost; proxy_ssl_server_name on; proxy_ssl_session_reuse on;")
            servers += f"""
  upstream u_{upstream} {{ server 127.0.0.1:{port}; keepalive 64; keepalive_requests 1000000; }}
  server {{
    listen 127.0.0.1:{own} backlog=4096;
    location / {{
      if ($http_authorization != "Bearer {TOKEN}") {{ return 401; }}
      proxy_pass {scheme}://u_{upstream}; proxy_http_version 1.1; proxy_buffering off;
      proxy_set_header Connection ""; proxy_set_header Authorization "Bearer {KEY}"; {verify if scheme == "https" else ""}
    }}
  }}
"""
        self.pids["nginx"] = self.nginx("proxy", servers).pid

    def start_haproxy(self):
        text = """
global
  nbthread 2
  maxconn 8192
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
  option http-no-delay
"""
        for upstream, port, secure in [("plain", PLAIN, False), ("tls", SECURE, True), ("sse", STREAMS, False)]:
            own = 18200 + ["plain", "tls", "sse"].index(upstream)
            self.ports["haproxy", upstream] = own
            tls = f" ssl verify required ca-file {self.folder}/ca.pem verifyhost localhost sni str(localhost)" if secure else ""
            text += f"""
listen {upstream}
  bind 127.0.0.1:{own} backlog 4096
  http-request deny deny_status 401 unless {{ req.hdr(authorization) -m str "Bearer {TOKEN}" }}
  http-request set-header Authorization "Bearer {KEY}"
  http-reuse always
  server s 127.0.0.1:{port}{tls} pool-max-conn 64
"""
        self.write("haproxy.cfg", text)
        self.pids["haproxy"] = self.start("haproxy", ["haproxy", "-db", "-f", "haproxy.cfg"]).pid

    def start_sanduk(self):
        self.pids["sanduk"] = []
        for upstream, url in [("plain", f"http://127.0.0.1:{PLAIN}"), ("tls", f"https://localhost:{SECURE}"),
                              ("sse", f"http://127.0.0.1:{STREAMS}")]:
            self.write(f"{upstream}.toml", f"""version = 1
task = "none"
[provider]
name = "openai-compat"
upstream = "{url}"
key = "env:BENCH_KEY"
[caps]
max_tokens = 1000
[allow]
models = ["m"]
""")
            variables = {**os.environ, "BENCH_KEY": KEY, "SSL_CERT_FILE": str(self.folder / "ca.pem"),
                         "HOME": str(self.folder)}
            own = 18300 + ["plain", "tls", "sse"].index(upstream)
            child = self.start(f"sanduk-{upstream}", [self.options.sanduk, "relay", f"{upstream}.toml", "--json", "--listen",
                                                      f"127.0.0.1:{own}"], stdout=subprocess.PIPE, env=variables, text=True)
            ready = json.loads(child.stdout.readline())
            self.ports["sanduk", upstream] = own
            self.tokens[upstream] = ready["token"]
            self.pids["sanduk"].append((upstream, child.pid))

    def token(self, peer, upstream):
        return self.tokens[upstream] if peer == "sanduk" else TOKEN

    def processes(self, peer, upstream):
        if peer == "sanduk":
            return [pid for name, pid in self.pids["sanduk"] if name == upstream]
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.pids[peer])], capture_output=True, text=True)
        return [self.pids[peer]] + [int(word) for word in children.stdout.split()]

    def cpu(self, peer, upstream):
        total = 0
        for pid in self.processes(peer, upstream):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / HERTZ

    def check(self, peer, upstream):
        body = b'{"model":"m","max_tokens":5,"messages":[]}'
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports[peer, upstream]}/v1/chat/completions", body,
                                         {"Authorization": "Bearer " + self.token(peer, upstream)})
        for attempt in range(50):
            try:
                with urllib.request.urlopen(request, timeout=5) as answer:
                    assert answer.status == 200
                    return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"{peer} does not answer ({upstream}); see {self.folder}")

    def requests(self, peer, upstream, size, connections, seconds):
        filler = "lorem ipsum dolor sit amet " * (size // 27 + 1)
        body = '{"model":"m","max_tokens":5000,"messages":[{"role":"user","content":"%s"}]}' % filler[:size - 74]
        script = self.write("post.lua", f"""
wrk.method = "POST"
wrk.body = io.open("{self.write("body.json", body)}"):read("*a")
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {self.token(peer, upstream)}"
""")
        before = self.cpu(peer, upstream)
        result = subprocess.run(["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s",
                                 "--latency", "-s", str(script),
                                 f"http://127.0.0.1:{self.ports[peer, upstream]}/v1/chat/completions"],
                                capture_output=True, text=True, check=True).stdout
        used = self.cpu(peer, upstream) - before
        if "Non-2xx" in result or "Socket errors" in result:
            sys.exit(f"{peer} failed: {result}")
        made = int(re.search(r"(\d+) requests in", result).group(1))
        return {"rps": float(re.search(r"Requests/sec:\s+([\d.]+)", result).group(1)),
                "p50": microseconds(re.search(r"^ +50%\s+(\S+)", result, re.M).group(1)),
                "p99": microseconds(re.search(r"^ +99%\s+(\S+)", result, re.M).group(1)),
                "cpu": used * 1e6 / max(made, 1)}

    def stream(self, peer, count):
        result = subprocess.run([self.options.sse, "load", str(self.ports[peer, "sse"]), str(count),
                                 self.token(peer, "sse")], capture_output=True, text=True, check=True)
        found = json.loads(result.stdout)
        if found["whole"] != count:
            sys.exit(f"{peer}: {found['whole']} of {count} streams came whole")
        return found


def microseconds(text):
    found = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text)
    if not found:
        sys.exit(f"wrk said {text!r} where a time was expected")
    number, unit = found.groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6, "m": 6e7}[unit]


def medians(rounds):
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sanduk", required=True, type=os.path.abspath)
    parser.add_argument("--sse", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="one round of a few cases")
    parser.add_argument("--json", help="write the numbers to this file")
    options = parser.parse_args()
    for program in ["nginx", "haproxy", "wrk", "openssl"]:
        if not shutil.which(program):
            sys.exit(f"{program} is missing: apt-get install nginx-light haproxy wrk openssl")
    bench = Bench(options)
    numbers = {}
    try:
        bench.make_certificate()
        bench.start_provider()
        bench.start_nginx()
        bench.start_haproxy()
        time.sleep(0.5)
        bench.start_sanduk()
        for peer in PEERS:
            for upstream in ["plain", "tls"]:
                bench.check(peer, upstream)
        rounds = 1 if options.quick else options.rounds
        sizes = [4096] if options.quick else [4096, 102400, 1048576]
        connections = [16] if options.quick else [1, 16, 64]
        print(f"{'':26}{'requests/s':>30}{'p50 us':>26}{'CPU us/request':>26}")
        print(f"{'upstream, body, clients':26}{'sanduk':>10}{'/nginx':>10}{'/haproxy':>10}"
              f"{'sanduk':>10}{'/nginx':>8}{'/haproxy':>8}{'sanduk':>10}{'/nginx':>8}{'/haproxy':>8}")
        for upstream in ["plain", "tls"]:
            for size in sizes:
                for clients in connections:
                    found = {peer: [] for peer in PEERS}
                    for turn in range(rounds):
                        for peer in PEERS[turn % 3:] + PEERS[:turn % 3]:
                            found[peer].append(bench.requests(peer, upstream, size, clients, options.seconds))
                    case = f"{upstream}, {size // 1024} KB, {clients}"
                    numbers[case] = {peer: medians(found[peer]) for peer in PEERS}
                    line = f"{case:26}"
                    for name, wide in [("rps", 10), ("p50", 8), ("cpu", 8)]:
                        own = numbers[case]["sanduk"][name]
                        line += f"{own:10.0f}"
                        for peer in PEERS[1:]:
                            line += f"{own / max(numbers[case][peer][name], 1e-9):{wide}.2f}"
                    print(line, flush=True)
        print(f"\n{'streams of 64 events, 20 ms apart; delay of an event in us':60}{'p50':>22}{'p99':>26}")
        print(f"{'':40}{'sanduk':>10}{'nginx':>10}{'haproxy':>10}{'sanduk':>12}{'nginx':>10}{'haproxy':>10}")
        for count in [16] if options.quick else [1, 16, 64, 1000]:
            found = {peer: [] for peer in PEERS}
            for turn in range(rounds):
                for peer in PEERS[turn % 3:] + PEERS[:turn % 3]:
                    found[peer].append(bench.stream(peer, count))
            case = f"streams, {count}"
            numbers[case] = {peer: medians(found[peer]) for peer in PEERS}
            row = [numbers[case][peer][name] for name in ["p50", "p99"] for peer in PEERS]
            print(f"{case:40}" + "".join(f"{value:10.0f}" for value in row[:3]) + "  " +
                  "".join(f"{value:10.0f}" for value in row[3:]), flush=True)
    finally:
        bench.stop()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(numbers, indent=2) + "\n")


if __name__ == "__main__":
    main()
