//! Numbers, texts and bytes as ZooKeeper writes them: big-endian, lengths before contents.

/// A reader of the fields of a message.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn bool(&mut self) -> Option<bool> {
        self.take(1).map(|byte| byte != [0])
    }

    pub(crate) fn i32(&mut self) -> Option<i32> {
        let bytes = self.take(4)?.try_into().ok()?;
        Some(i32::from_be_bytes(bytes))
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        let bytes = self.take(8)?.try_into().ok()?;
        Some(i64::from_be_bytes(bytes))
    }

    /// Reads bytes. A length below 0 stands for no bytes.
    pub(crate) fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.i32()?).unwrap_or_default();
        self.take(length).map(<[u8]>::to_vec)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<String>> {
        (0..self.i32()?).map(|_| self.text()).collect()
    }
}

/// A writer of the fields of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn bool(&mut self, value: bool) -> &mut Self {
        self.0.push(u8::from(value));
        self
    }

    pub(crate) fn i32(&mut self, value: i32) -> &mut Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn i64(&mut self, value: i64) -> &mut Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.i32(i32::try_from(bytes.len()).unwrap());
        self.0.extend(bytes);
        self
    }

    pub(crate) fn texts<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>) -> &mut Self {
        self.i32(i32::try_from(texts.len()).unwrap());
        for text in texts {
            self.bytes(text.as_bytes());
        }
        self
    }

    /// Returns the message with its length before it.
    pub(crate) fn frame(&self) -> Vec<u8> {
        let length = u32::try_from(self.0.len()).unwrap();
        [&length.to_be_bytes(), self.0.as_slice()].concat()
    }
}
