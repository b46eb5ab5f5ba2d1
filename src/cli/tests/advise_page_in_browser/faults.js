(() => {
  const faults = [];
  const shown = (text) => '`' + text.trim().replace(/\s+/g, ' ').slice(0, 60) + '`';

  // Include everything that is folded.
  for (const details of document.querySelectorAll('details')) details.open = true;

  const isScrolled = (element) => element.closest('.scroll, pre') !== null;

  // Nothing is wider than the window.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push('the page is wider than the window');
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.skip, svg, .scroll > *, pre > *')) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5)) {
      faults.push(`${element.tagName} ${shown(element.textContent)} is wider than the window`);
    }
  }

  // No text overlaps another. Lines of one element are one text; texts that scroll are checked in
  // their layout.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('.skip, style, script')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
    if (boxes.length === 0) faults.push(`${shown(node.data)} is invisible`);
    // The letters of a line are lower than the line.
    const inner = boxes.map((box) => ({ left: box.left + 0.5, right: box.right - 0.5,
      top: box.top + box.height * 0.2, bottom: box.bottom - box.height * 0.2 }));
    texts.push({ node, parent, boxes: inner });
  }
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const bands = new Map();
  for (const text of texts) {
    for (const box of text.boxes) {
      for (let band = Math.floor(box.top / 50); band <= Math.floor(box.bottom / 50); band++) {
        for (const other of bands.get(band) ?? []) {
          if (other.text !== text && meet(other.box, box)) {
            faults.push(`${shown(text.node.data)} overlaps ${shown(other.text.node.data)}`);
          }
        }
        if (!bands.has(band)) bands.set(band, []);
        bands.get(band).push({ text, box });
      }
    }
  }

  // The content of a box stays in it.
  for (const element of document.querySelectorAll('figure, td, th, summary, li, pre')) {
    if (element.scrollWidth > element.clientWidth + 1 && !isScrolled(element) && element.clientWidth > 0) {
      faults.push(`${element.tagName} ${shown(element.textContent)} runs out of its box`);
    }
  }

  // Every picture has labelled axes, a name, and a table of the same figures.
  const unit = /times|%|by number|0\.1 %/;
  const figures = document.querySelectorAll('figure');
  if (figures.length < 2) faults.push('pictures are missing');
  for (const figure of figures) {
    const name = shown(figure.querySelector('figcaption').textContent);
    for (const axis of ['.axis-x', '.axis-y']) {
      const label = figure.querySelector(axis);
      if (!label || !unit.test(label.textContent)) faults.push(`${axis} of ${name} has no unit`);
    }
    for (const ticks of ['.ticks-x', '.ticks-y']) {
      if (!figure.querySelector(`${ticks} span`)) faults.push(`${ticks} of ${name} is empty`);
    }
    const picture = figure.querySelector('svg');
    if (!picture.getAttribute('aria-label')) faults.push(`the picture of ${name} has no name`);
    const summary = figure.querySelector('details summary');
    if (summary?.textContent !== 'Table' || !figure.querySelector('details table td')) {
      faults.push(`${name} has no table`);
    }
    // Colour is not the only signal: the fullest bar is hatched, and the scale of the map has
    // words.
    if (figure.classList.contains('map')) {
      const steps = [...figure.querySelectorAll('.legend li')];
      if (steps.length < 2 || steps.some((step) => !/[0-9]/.test(step.textContent))) faults.push('the scale has no words');
    } else {
      const fullest = figure.querySelector('.fullest');
      if (!fullest || !getComputedStyle(fullest).fill.startsWith('url(')) faults.push(`${name} is shown by colour only`);
    }
  }

  // A page has one title, headings in order, and a language; it loads nothing from the network.
  if (document.querySelectorAll('h1').length !== 1 || !document.documentElement.lang) faults.push('no title or language');
  let level = 1;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`${shown(heading.textContent)} skips a level`);
    level = next;
  }
  if (document.querySelector('script, link, img, iframe, object, [src], [onerror]')) faults.push('it loads from the network');
  for (const link of document.querySelectorAll('a')) {
    if (!document.querySelector(link.getAttribute('href'))) faults.push(`the link ${shown(link.textContent)} has no target`);
  }

  // The contrast of letters and their background is at least 4.5 to 1, as WCAG requires.
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map(Number).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)' && colour !== 'transparent') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const reported = new Set();
  for (const { node, parent } of texts) {
    const pair = [luminance(getComputedStyle(parent).color), luminance(groundOf(parent))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5 && !reported.has(parent.className)) {
      reported.add(parent.className);
      faults.push(`${shown(node.data)} is hard to read: contrast ${contrast.toFixed(1)}`);
    }
  }
  return faults;
})()
