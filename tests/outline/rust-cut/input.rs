        let x = match y {
            Some(z) => z,
            None => return,
        };
        self.put(x);
    }

    /// What is left.
    pub fn rest(&self) -> usize {
        self.items.len()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.open {
            self.close(
