"""What a page is put together from."""
