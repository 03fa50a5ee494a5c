/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moving parts of the HTML report: graphs that share one time axis, sortable tables, links from a
   finding to its moment. Everything it says in words is in the page without it, too. */
(function () {
	'use strict';

	const element = document.getElementById('data');
	const data = element ? JSON.parse(element.textContent) : {copies: [], buckets: []};
	const byId = (id) => document.getElementById(id);
	const SECOND = 1e9;
	const WATERFALL_ROWS = 36;
	const BANDS = [0.42, 0.31, 0.22, 0.13]; /* how strong a band is, by tone */

	let graphs = [];
	let copy = null;
	let shown = null; /* [from, to] in seconds */
	let quiet = false;

	const css = (name) =>
		getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const sideColor = (bucket) => css('--b-' + data.buckets[bucket].side);

	function faded(color, alpha) {
		const n = parseInt(color.slice(1), 16);
		return `rgba(${n >> 16}, ${(n >> 8) & 255}, ${n & 255}, ${alpha})`;
	}

	function duration(seconds) {
		const a = Math.abs(seconds);
		if (a >= 1) return seconds.toFixed(a < 10 ? 2 : 1) + ' s';
		if (a >= 1e-3) return (seconds * 1e3).toFixed(a < 1e-2 ? 2 : 1) + ' ms';
		return (seconds * 1e6).toFixed(0) + ' \u00b5s';
	}

	function size(bytes) {
		const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
		let i = 0;
		while (bytes >= 1024 && i < 4) { bytes /= 1024; i++; }
		return (bytes < 10 && i ? bytes.toFixed(1) : bytes.toFixed(0)) + ' ' + units[i];
	}

	/* ---- series of the chosen copy */

	const at = (i) => (copy.start + i * copy.bin) / SECOND;

	/* no-value bins break the line: dygraphs takes null for that */
	function rows(...columns) {
		const out = [];
		for (let i = 0; i < copy.bins; i++)
			out.push([at(i + 0.5), ...columns.map((c) => (c ? c[i] : null))]);
		return out;
	}

	const scaled = (values, factor) =>
		values ? values.map((v) => (v === null ? null : v * factor)) : null;

	function cumulated(values) {
		let sum = 0;
		return values ? values.map((v) => (sum += v) / 1e6) : null;
	}

	function paintBands(ctx, area, g) {
		if (!copy.dominant) return;
		ctx.save();
		ctx.beginPath();
		ctx.rect(area.x, area.y, area.w, area.h);
		ctx.clip();
		for (let i = 0, j; i < copy.bins; i = j) {
			for (j = i + 1; j < copy.bins && copy.dominant[j] === copy.dominant[i]; j++);
			const x = g.toDomXCoord(at(i));
			ctx.fillStyle = faded(sideColor(copy.dominant[i]), BANDS[data.buckets[copy.dominant[i]].tone]);
			ctx.fillRect(x, area.y, g.toDomXCoord(at(j)) - x, area.h);
		}
		ctx.restore();
	}

	function bandName(seconds) {
		const i = Math.floor((seconds * SECOND - copy.start) / copy.bin);
		const bucket = copy.dominant && copy.dominant[i];
		return bucket === undefined || bucket === null ? '' : data.buckets[bucket].title;
	}

	/* ---- what each graph shows */

	function operationRows() {
		const names = copy.commands;
		const out = copy.operations.map((o) => {
			const row = [o[0] / SECOND];
			for (let k = 0; k < names.length; k++)
				row.push(k === o[5] ? (o[2] - o[0]) / 1e6 : null);
			return row;
		});
		return out.sort((a, b) => a[0] - b[0]);
	}

	/* what was sent by then, less what was in flight at most, plus what the receiver would take */
	function sequenceRows() {
		const sent = cumulated(copy.bytes);
		const acknowledged = copy.inFlight
			? sent.map((s, i) => (copy.inFlight[i] === null ? null
				: Math.max(0, s - copy.inFlight[i] / 1e6))) : null;
		const edge = acknowledged && copy.window
			? acknowledged.map((a, i) => (a === null || copy.window[i] === null ? null
				: a + copy.window[i] / 1e6)) : null;
		return rows(sent, acknowledged, edge, copy.retransmissions
			? copy.retransmissions.map((r, i) => (r ? sent[i] : null)) : null);
	}

	const plots = [
		/* the line in the colour of the text: those of the plots are also those of the bands */
		{id: 'throughput', labels: ['throughput'], unit: 'MB/s', style: 'p-ink',
			rows: () => rows(scaled(copy.bytes, 1e3 / copy.bin)),
			has: () => copy.bytes, options: {stepPlot: true, underlayCallback: paintBands},
			more: bandName},
		{id: 'window', labels: ['bytes in flight', 'receive window'], unit: 'KiB',
			rows: () => rows(scaled(copy.inFlight, 1 / 1024), scaled(copy.window, 1 / 1024)),
			has: () => copy.inFlight || copy.window, options: {}},
		{id: 'rtt', labels: ['round trip'], unit: 'ms',
			rows: () => rows(scaled(copy.rtt, 1e-6)), has: () => copy.rtt,
			options: {connectSeparatedPoints: true, drawPoints: true, pointSize: 1.5}},
		{id: 'sequence', labels: ['sent', 'acknowledged', 'end of the receive window', 'retransmissions'],
			unit: 'MB', rows: sequenceRows, has: () => copy.bytes,
			options: {series: {'retransmissions': {strokeWidth: 0, drawPoints: true, pointSize: 3}}}},
		{id: 'response', labels: null, unit: 'ms', rows: operationRows,
			has: () => copy.operations.length > 0,
			options: {strokeWidth: 0, drawPoints: true, pointSize: 2.5, highlightCircleSize: 5}},
	];

	function legendItem(style, text) {
		const item = document.createElement('span');
		const swatch = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
		const box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
		swatch.setAttribute('class', 'swatch ' + style);
		swatch.setAttribute('viewBox', '0 0 1 1');
		swatch.setAttribute('aria-hidden', 'true');
		box.setAttribute('width', '1');
		box.setAttribute('height', '1');
		swatch.append(box);
		item.append(swatch, text);
		return item;
	}

	function readout(plot, labels, x, points) {
		const legend = byId('legend-' + plot.id);
		legend.textContent = '';
		labels.forEach((label, i) => {
			const item = legendItem(plot.style || 'p-' + (i % 4 + 1), label);
			const point = points && points.find((p) => p.name === label);
			if (point && Number.isFinite(point.yval)) {
				const value = document.createElement('b');
				value.textContent = ` ${point.yval.toPrecision(3)} ${plot.unit}`;
				item.append(value);
			}
			legend.append(item);
		});
		if (plot.more && copy.dominant)
			for (const bucket of new Set(copy.dominant))
				legend.append(legendItem(`s-${data.buckets[bucket].side} t-${data.buckets[bucket].tone}`,
					data.buckets[bucket].title));
		if (x !== undefined) {
			const item = document.createElement('b');
			item.textContent = `at ${tick(x)}` + (plot.more ? `: ${plot.more(x)}` : '');
			legend.append(item);
		}
	}

	/* ---- one time axis for all */

	function whole() {
		const end = copy.bins ? at(copy.bins) : copy.end / SECOND;
		return [copy.start / SECOND, Math.max(end, copy.start / SECOND + 1e-6)];
	}

	function show(from, to, source) {
		const [first, last] = whole();
		const width = Math.max(to - from, 1e-6);
		from = Math.max(first, Math.min(from, last - Math.min(width, last - first)));
		shown = [from, Math.min(last, from + width)];
		quiet = true;
		for (const g of graphs)
			if (g !== source) g.updateOptions({dateWindow: shown});
		quiet = false;
		drawWaterfall();
		byId('range').textContent =
			`${shown[0].toFixed(3)} s to ${shown[1].toFixed(3)} s (${duration(shown[1] - shown[0])})`;
	}

	/* as many digits as tell two neighbours apart */
	function tick(value) {
		const [from, to] = shown || whole();
		const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10((to - from) / 10))));
		return value.toFixed(digits) + ' s';
	}

	function moved(g, initial) {
		if (quiet || initial) return;
		const [from, to] = g.xAxisRange();
		show(from, to, g);
	}

	function colorsOf(plot, count) {
		return Array.from({length: count},
			(_, i) => css(plot.style ? '--ink' : '--plot-' + (i % 4 + 1)));
	}

	function drawGraphs() {
		for (const g of graphs) g.destroy();
		graphs = [];
		quiet = true;
		for (const plot of plots) {
			const box = byId('plot-' + plot.id);
			box.hidden = !plot.has();
			if (box.hidden) continue;
			const labels = plot.labels || copy.commands;
			const colors = colorsOf(plot, labels.length);
			graphs.push(new Dygraph(byId('chart-' + plot.id), plot.rows(), Object.assign({
				labels: ['seconds', ...labels], colors, legend: 'never', ylabel: plot.unit,
				dateWindow: shown || whole(), drawCallback: moved, includeZero: true,
				gridLineColor: css('--line'), axisLineColor: css('--faint'),
				strokeWidth: 1.5, xRangePad: 0,
				rightGap: 12, animatedZooms: false,
				axes: {x: {axisLabelFormatter: tick, axisLabelWidth: 75}, y: {axisLabelWidth: 55}},
				highlightCallback: (event, x, points) => readout(plot, labels, x, points),
				unhighlightCallback: () => readout(plot, labels),
			}, plot.options)));
			graphs[graphs.length - 1].plot = plot;
			readout(plot, labels);
		}
		quiet = false;
		byId('plot-waterfall').hidden = copy.operations.length === 0;
		show(...(shown || whole()));
	}

	/* colours are read when drawn: another scheme, or paper, means drawing again */
	function recolor() {
		quiet = true;
		for (const g of graphs)
			g.updateOptions({
				colors: colorsOf(g.plot, g.getLabels().length - 1),
				gridLineColor: css('--line'), axisLineColor: css('--faint'),
			});
		quiet = false;
		drawWaterfall();
	}

	/* a graph drawn anew while printing stays empty: on paper those of the screen are made smaller */
	function fitPaper(prints) {
		const PAPER = 660; /* A4 less its margins, in pixels of CSS */
		for (const box of document.querySelectorAll('.chart, .waterfall')) {
			const width = box.offsetWidth, scale = PAPER / width, fits = !prints || scale >= 1;
			box.style.width = prints ? width + 'px' : '';
			box.style.transform = fits ? '' : `scale(${scale})`;
			box.style.marginBottom = fits ? '' : box.offsetHeight * (scale - 1) + 'px';
		}
		if (!prints) drawWaterfall();
	}

	/* each request a line: travelling and waiting, then answering; with the place in the file */
	function drawWaterfall() {
		const canvas = byId('chart-waterfall');
		if (!canvas || byId('plot-waterfall').hidden) return;
		const ratio = window.devicePixelRatio || 1;
		const ctx = canvas.getContext('2d');
		const visible = copy.operations.filter(
			(o) => o[2] / SECOND >= shown[0] && o[0] / SECOND <= shown[1]);
		const step = Math.max(1, Math.ceil(visible.length / WATERFALL_ROWS));
		const list = visible.filter((_, i) => i % step === 0);
		canvas.style.height = Math.min(320, Math.max(3, list.length) * 18 + 4) + 'px';
		const width = canvas.clientWidth, height = canvas.clientHeight;
		/* the same place on the screen for the same time as in the graphs above */
		const area = graphs.length ? graphs[0].getArea() : {x: 10, w: width - 22};
		const left = area.x, right = area.x + area.w;
		const row = Math.min(18, (height - 4) / Math.max(1, list.length));
		const x = (ns) => left + (ns / SECOND - shown[0]) / (shown[1] - shown[0]) * area.w;

		canvas.width = width * ratio;
		canvas.height = height * ratio;
		ctx.scale(ratio, ratio);
		ctx.clearRect(0, 0, width, height);
		const font = getComputedStyle(document.body).fontFamily;
		ctx.textBaseline = 'middle';
		ctx.strokeStyle = css('--line');
		ctx.strokeRect(left + 0.5, 0.5, area.w, height - 1);
		list.forEach((o, i) => {
			const y = i * row + 2, h = Math.max(2, row - 3);
			const from = Math.max(left, x(o[0]));
			const first = Math.max(left, Math.min(right, x(o[1])));
			const end = Math.min(right, Math.max(x(o[2]), from + 1.5));
			ctx.fillStyle = css('--plot-2');
			ctx.fillRect(from, y, Math.max(1, first - from), h);
			ctx.fillStyle = css('--plot-1');
			ctx.fillRect(first, y, Math.max(1, end - first), h);
			if (row < 7) return;
			const label = copy.commands[o[5]] +
				(/read|write/.test(copy.commands[o[5]]) ? ' @ ' + size(o[3]) : '');
			ctx.font = Math.min(11, row) + 'px ' + font;
			ctx.fillStyle = css('--faint');
			const fits = end + 6 + ctx.measureText(label).width < right;
			ctx.textAlign = fits ? 'left' : 'right';
			ctx.fillText(label, fits ? end + 5 : from - 5, y + h / 2);
		});
		byId('text-waterfall').textContent = visible.length === 0
			? 'No request in this stretch of time.'
			: `${list.length} of ${visible.length} kept requests in this stretch of time; ` +
			  `longest ${duration(Math.max(...visible.map((o) => o[2] - o[0])) / SECOND)}.`;
	}

	function choose(index) {
		copy = data.copies[index];
		shown = null;
		byId('copy').value = String(index);
		byId('graph-title').textContent = copy.title;
		drawGraphs();
	}

	function zoom(factor) {
		const middle = (shown[0] + shown[1]) / 2, half = (shown[1] - shown[0]) / 2 * factor;
		show(middle - half, middle + half);
	}

	function shift(part) {
		const width = shown[1] - shown[0];
		show(shown[0] + width * part, shown[1] + width * part);
	}

	/* a finding's link: its copy, its moment, a stretch that shows what is around it */
	function visit(link) {
		const index = data.copies.findIndex((c) => c.id === link.dataset.copy);
		if (index < 0) return;
		if (data.copies[index] !== copy) choose(index);
		const [first, last] = whole();
		const middle = Number(link.dataset.at) / SECOND;
		const width = Math.max((last - first) / 20, Math.min(last - first, 0.05));
		show(middle - width / 2, middle + width / 2);
	}

	function startGraphs() {
		if (data.copies.length === 0 || typeof Dygraph === 'undefined') return;
		/* its legend sets style attributes, which the page's policy forbids; ours is below */
		Dygraph.PLUGINS = Dygraph.PLUGINS.filter((p) => String(p.prototype) !== 'Legend Plugin');
		byId('graphs').hidden = false;
		const select = byId('copy');
		data.copies.forEach((c, i) => select.add(new Option(c.title, String(i))));
		select.addEventListener('change', () => choose(Number(select.value)));
		byId('zoom-in').addEventListener('click', () => zoom(0.5));
		byId('zoom-out').addEventListener('click', () => zoom(2));
		byId('earlier').addEventListener('click', () => shift(-0.5));
		byId('later').addEventListener('click', () => shift(0.5));
		byId('all').addEventListener('click', () => show(...whole()));
		for (const link of document.querySelectorAll('a[data-copy]'))
			link.addEventListener('click', () => visit(link));
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolor);
		matchMedia('print').addEventListener('change', recolor);
		window.addEventListener('beforeprint', () => fitPaper(true));
		window.addEventListener('afterprint', () => fitPaper(false));
		window.addEventListener('resize', drawWaterfall);
		choose(0);
	}

	/* ---- tables */

	function sortBy(table, column, th) {
		const body = table.tBodies[0];
		const up = th.getAttribute('aria-sort') !== 'ascending';
		const key = (row) => {
			const cell = row.cells[column];
			return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent;
		};
		const order = (a, b) => (typeof a === 'number' && typeof b === 'number'
			? a - b : String(a).localeCompare(String(b), 'en'));
		const sorted = [...body.rows].sort((a, b) => (up ? 1 : -1) * order(key(a), key(b)));
		for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
		th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
		body.append(...sorted);
	}

	for (const table of document.querySelectorAll('table.sortable')) {
		[...table.tHead.rows[0].cells].forEach((th, column) => {
			if (!th.textContent.trim()) return; /* a button needs a name */
			const button = document.createElement('button');
			button.type = 'button';
			button.append(...th.childNodes);
			button.addEventListener('click', () => sortBy(table, column, th));
			th.append(button);
		});
	}
	startGraphs();
})();
