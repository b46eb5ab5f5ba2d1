(() => {
  const faults = [];
  const shown = (text) => '`' + text.trim().replace(/\s+/g, ' ').slice(0, 60) + '`';

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
  for (const element of document.querySelectorAll('figure, td, th, li, pre')) {
    if (element.scrollWidth > element.clientWidth + 1 && !isScrolled(element) && element.clientWidth > 0) {
      faults.push(`${element.tagName} ${shown(element.textContent)} runs out of its box`);
    }
  }

  // Every picture has a name.
  const figures = document.querySelectorAll('figure');
  if (figures.length < 2) faults.push('pictures are missing');
  for (const figure of figures) {
    const name = shown(figure.querySelector('figcaption').textContent);
    const picture = figure.querySelector('svg');
    if (!picture.getAttribute('aria-label')) faults.push(`the picture of ${name} has no name`);
    // Color is not the only signal: the fullest bar is outlined, and the scale of the map has words.
    if (figure.classList.contains('map')) {
      const steps = [...figure.querySelectorAll('.legend li')];
      if (steps.length < 2 || steps.some((step) => !/[0-9]/.test(step.textContent))) faults.push('the scale has no words');
    } else {
      const fullest = figure.querySelector('.fullest');
      if (!fullest || getComputedStyle(fullest).stroke === 'none') faults.push(`${name} is shown by color only`);
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
  const luminance = (color) => {
    const [red, green, blue] = color.match(/[\d.]+/g).map(Number).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== 'rgba(0, 0, 0, 0)' && color !== 'transparent') return color;
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
