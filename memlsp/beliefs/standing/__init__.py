"""standing"""
